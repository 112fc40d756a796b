#!/bin/sh
# Runs the golden command lines: every tests/cli/NAME.cmd is a shell script that must print exactly NAME.stdout, say
# exactly NAME.stderr on standard error, and exit with NAME.exit (missing files: nothing, nothing, 0). NAME.stdout.glob
# instead of NAME.stdout matches line by line with shell patterns. A case runs in an empty folder of its own with
# $srcdir (the source tree) set and `pagelab` first in PATH. `PL_RECORD=1` writes the expectations anew; look at the
# difference before you commit it. A case that ends with status 77 is skipped, its last line of output says why.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}"
PATH=$BUILD:$PATH
LC_ALL=C
PAGELAB_PLOTS=$srcdir/plots
export srcdir PATH LC_ALL PAGELAB_PLOTS BUILD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

matches_glob() { # pattern file, actual file
    [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || return 1
    while IFS= read -r pattern <&3 && IFS= read -r actual <&4; do
        case $actual in $pattern) ;; *) return 1 ;; esac
    done 3<"$1" 4<"$2"
}

same() { # expectation without suffix, actual file
    if [ -e "$1.glob" ]; then
        matches_glob "$1.glob" "$2"
    elif [ -e "$1" ]; then
        cmp -s "$1" "$2"
    else
        [ ! -s "$2" ]
    fi
}

show() { # what differs, as TAP comments
    if [ -e "$1" ]; then diff -u "$1" "$2"; elif [ -e "$1.glob" ]; then diff -u "$1.glob" "$2"; else cat "$2"; fi |
        head -n 40 | sed 's/^/#   /'
}

set -- "$here"/${PL_CASES:-*}.cmd
[ -e "$1" ] || { echo "1..0 # skip no cases"; exit 0; }
echo "1..$#"
number=0
for case; do
    number=$((number + 1))
    name=$(basename "$case" .cmd)
    base=$here/$name
    mkdir "$work/$name" || exit 99
    (cd "$work/$name" && sh "$case" >"$work/out" 2>"$work/err" </dev/null)
    status=$?
    if [ $status = 77 ]; then
        echo "ok $number - $name # skip $(tail -n 1 "$work/out")"
        continue
    fi
    if [ -n "${PL_RECORD:-}" ]; then
        for stream in out:stdout err:stderr; do
            target=$base.${stream#*:}
            [ -e "$target.glob" ] && continue
            if [ -s "$work/${stream%:*}" ]; then cp "$work/${stream%:*}" "$target"; else rm -f "$target"; fi
        done
        if [ $status = 0 ]; then rm -f "$base.exit"; else echo $status >"$base.exit"; fi
    fi
    expected=0
    [ -e "$base.exit" ] && expected=$(cat "$base.exit")
    if [ "$status" = "$expected" ] && same "$base.stdout" "$work/out" && same "$base.stderr" "$work/err"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        [ "$status" = "$expected" ] || echo "#   exit status $status instead of $expected"
        same "$base.stdout" "$work/out" || show "$base.stdout" "$work/out"
        same "$base.stderr" "$work/err" || show "$base.stderr" "$work/err"
    fi
    rm -rf "${work:?}/$name"
done
