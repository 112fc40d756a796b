#!/bin/sh
# pagecap on Linux: a program whose touches are known is captured by each back end that works here, and the trace must be
# what the program's script says; pagelab reads it; limits, crashes and refusals. Prints TAP.
: "${BUILD:=build}" "${srcdir:=.}"
PATH=$BUILD:$PATH
victim=$BUILD/tests/capture/victim
compare=$BUILD/tests/capture/compare_script
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
number=0
ok() { # status, name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; sed 's/^/#   /' said 2>/dev/null; fi
}
skip() { number=$((number + 1)); echo "ok $number - $1 # skip $2"; }
works() { pagecap backends --csv - | grep -q "^$1,yes"; }
why() { pagecap backends --csv - | sed -n "s/^$1,no,.*,\"\{0,1\}\([^,]*\)\"\{0,1\}$/\1/p"; }
status() { # expected, words in the message, command...
    expected=$1 words=$2
    shift 2
    "$@" >said 2>&1
    got=$?
    [ $got = "$expected" ] && grep -q "$words" said && [ "$(grep -c '^pagecap:' said)" = 1 ]
}
field() { pagelab trace info "$1" --quiet --json - 2>/dev/null | sed -n "s/^ *\"$2\": \([0-9]*\),\{0,1\}$/\1/p" | head -n 1; }

# --- exact: every touch, in order ---------------------------------------------------------------------------------
if works exact; then
    for script in "steps 48" "cross 24" "string" "locked 24" "threads 16 3" "kernel"; do
        name=${script%% *}
        pagecap run -q -b exact -o "$name.trace" -- "$victim" $script >"$name.out" 2>said &&
            "$compare" exact "$name.out" "$name.trace" >said
        ok $? "exact: $script"
    done
    [ "$(tail -n 1 steps.out)" = end ]
    ok $? "the program's own output is as without capture"

    pagecap run -q -b exact -o crash.trace -- "$victim" crash 20 >crash.out 2>said
    "$compare" exact crash.out crash.trace >said
    ok $? "a program that crashes leaves a trace that is whole"
    pagecap run -b exact -o crash.trace -- "$victim" crash 20 2>said | grep -q "ended with *139"
    ok $? "and how it ended is told"
    pagecap run -q -b exact -o crash.trace -- "$victim" crash 20 >crash.out 2>said
    [ $? = 139 ] && { pagecap run -b exact -o status.trace -- sh -c "exit 7" >status.out 2>said; [ $? = 7 ]; } &&
        grep -q "ended with status 7" said
    ok $? "it ends with the program's status"

    { pagelab curve steps.trace --quiet --csv curve.csv && grep -q '^[0-9]' curve.csv; } >said 2>&1
    ok $? "pagelab curve reads it"
    pagelab replay steps.trace --machine "$srcdir/models/zram-lz4.json" --quiet --json replay.json >said 2>&1
    ok $? "pagelab replay reads it"
    pagelab trace check steps.trace >said 2>&1
    ok $? "pagelab trace check finds nothing"

    pagecap run -q -b exact --touches 500 -o few.trace -- "$victim" sweep 64 2000 >few.out 2>said
    few=$(field few.trace accesses)
    [ "${few:-0}" -ge 500 ] && [ "$few" -le 600 ]
    ok $? "--touches stops it"
    pagecap run -q -b exact --time 300ms -o time.trace -- "$victim" sweep 64 100000 >time.out 2>said
    pagelab trace info time.trace >said 2>&1
    ok $? "--time stops it"
    pagecap run -q -b exact -o term.trace -- "$victim" sweep 64 100000 >term.out 2>said &
    sleep 0.5
    kill -TERM $!
    wait $!
    [ $? = 0 ] && pagelab trace info term.trace >said 2>&1
    ok $? "a signal stops it cleanly"
    pagecap run -q -b exact -o last.trace --last 64 -- "$victim" steps 32 >last.out 2>said
    [ "$(field last.trace accesses)" = 64 ] && [ "$(field last.trace lost_records)" -gt 64 ]
    ok $? "--last keeps the end"

    pagecap run -b exact --content -o content.trace -- "$victim" steps 32 2>said | grep -q "content is recorded *3[2-9]" &&
        pagelab trace check content.trace >said 2>&1
    ok $? "--content reads every page before the program ends"

    pagecap run -q -b exact -o killed.trace -- "$victim" sweep 64 100000 >killed.out 2>said &
    sleep 2
    kill -KILL $!
    wait $! 2>/dev/null
    pagelab trace info --skip-damaged killed.trace >said 2>&1
    ok $? "when the tool is killed, what it wrote can be read"
    sleep 0.3
    left=$(for process in /proc/[0-9]*; do
        cat $process/cmdline 2>/dev/null | tr '\0' ' ' | grep -q "^$victim sweep 64 100000" && echo "${process#/proc/}"
    done)
    [ -n "$left" ] && kill $left
    ok $? "and the program went on"

    sh -c "exec $victim steps 16" >exec.out && pagecap run -q -b exact -o exec.trace -- sh -c "exec $victim steps 16" >exec.out 2>said &&
        "$compare" exact exec.out exec.trace >said
    ok $? "a program that becomes another is followed"
    [ "$(pagecap run -q -b exact -o sh.trace -- sh -c 'echo $(echo in a child) $LD_PRELOAD' 2>said)" = "in a child" ]
    ok $? "forked children run, and see the environment that was"
else
    skip "exact" "$(why exact)"
fi

# --- others: sets of pages -------------------------------------------------------------------------------------------
for backend in interval faults snapshot; do
    if works $backend; then
        pagecap run -q -b $backend --interval 10ms -o $backend.trace -- "$victim" linger 64 >$backend.out 2>said &&
            "$compare" pages $backend.out $backend.trace >said
        ok $? "$backend: the set of pages"
    else
        skip "$backend: the set of pages" "$(why $backend)"
    fi
done

sleep 20 &
pagecap attach -q -b snapshot --content --time 200ms -o attached.trace $! >said 2>&1 && [ "$(field attached.trace pages)" -gt 50 ]
ok $? "snapshot attaches to a running process"
kill $!

# --- views: of this very shell, and of the system ------------------------------------------------------------------------
pagecap view $$ --csv - >said 2>&1 && grep -q '^heap,' said && grep -q '^total,' said
ok $? "view of a process"
pagecap content $$ --json - >said 2>&1 && grep -q '"zero_pages": [0-9]' said
ok $? "content of a process"
pagecap lists --csv - >said 2>&1 && grep -q '^MemTotal,[1-9]' said
ok $? "lists"
pagecap watch $$ --every 10ms -n 3 --csv - >said 2>&1 && [ "$(grep -c '^[0-9]' said)" = 3 ]
ok $? "watch takes its samples"
pagecap zero --size 1MiB --time 20ms --csv - >said 2>&1 && grep -q '^0,' said
ok $? "zero"
pagecap purge --csv - >said 2>&1 && grep -q '^pagecache,' said
ok $? "purge says what there is"

# --- refusals: one line, and never an empty trace ----------------------------------------------------------------------
status 2 "cannot be run" pagecap run -b snapshot -o none.trace -- /does/not/exist && [ ! -e none.trace ]
ok $? "a program that is not there"
status 2 "no back end" pagecap run -b exakt -o none.trace -- true && grep -q "exact" said
ok $? "a mistyped back end"
status 2 "no process" pagecap attach -b snapshot -o none.trace 4194305
ok $? "a process that is not there"
status 2 "takes no --children" pagecap run -b exact --children -o none.trace -- true
ok $? "an option that the back end does not take"
status 2 "behind --" pagecap run true
ok $? "a program without --"
status 2 "there is no process" pagecap view 4194305
ok $? "view of nobody"
status 2 "there is no process" pagecap content 4194305
ok $? "content of nobody"
echo "1..$number"
