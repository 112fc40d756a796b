#!/bin/sh
# The main job, end to end on real input: `./bootstrap demo` runs this after the build.
#
#   1. records every memory access of a real program on a real file (xz compressing /usr/bin/wc, by valgrind lackey)
#   2. turns the recording into a page trace, and the trace into a fault table: reads and write-backs for every size
#   3. asks the Russinovich/Cogswell model whether a compressed cache would help that program, and draws both
#   4. reproduces the 1996 study on its own Winstone table, the document's figures beside ours
#
# Everything it makes lies in demo-out/ (or the folder named as its argument); the last lines say which files.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${PAGELAB:=$here/build/pagelab}" "${LACKEY_PROGRAM:=xz -2 -T1 -c /usr/bin/wc}"
out=${1:-$here/demo-out}
mkdir -p "$out"

title() { printf '\n=== %s\n\n' "$*"; }
run() { # shows a command as a user would type it, then runs it
    printf '$ pagelab'
    for word; do
        case $word in *[!A-Za-z0-9_./:=,%-]*) printf " '%s'" "$word" ;; *) printf ' %s' "${word#"$here"/}" ;; esac
    done
    printf '\n'
    "$PAGELAB" "$@"
}
for program in valgrind xz; do
    command -v $program >/dev/null 2>&1 || { echo "demo: $program is not here; ./bootstrap demo installs it" >&2; exit 3; }
done

title "1. Recording: $LACKEY_PROGRAM (every access, so half a minute or so)"
# lackey writes a line an access to descriptor 9: text that only passes through a pipe. The program's own output, the
# compressed file, is not of interest here.
if [ -t 2 ]; then quiet=; else quiet=--quiet; fi
{ # shellcheck disable=SC2086
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 $LACKEY_PROGRAM 9>&1 >/dev/null || echo failed >"$out/failed"
} | "$PAGELAB" trace convert - --format lackey $quiet -o "$out/xz.trace"
[ ! -e "$out/failed" ] || { rm -f "$out/failed"; echo "demo: valgrind could not run $LACKEY_PROGRAM" >&2; exit 3; }
run trace info "$out/xz.trace"

title "2. The fault table: reads and write-backs for every memory size, in one pass"
run curve "$out/xz.trace" --csv "$out/xz-faults.csv" --json "$out/xz-faults.json"
run plot "$out/xz-faults.csv" --title "xz -2: page-file reads and writes by memory size" -o "$out/xz-faults.svg"

title "3. Would a compressed cache help xz on a machine with 4 MB for it?"
echo "Costs: a fault into Windows 10's store took 8.86 us a page (Kraus 2016); a hard fault 124.4 us a page, with"
echo "clustered reads from a disk (NyaRuRu, Windows XP). Ratio 2 is an assumption: try others with --r."
echo
run model "$out/xz-faults.csv" --m 4MB --r 2 --cd 8.86us --ch 124.4us --json "$out/xz-model.json"
run plot "$out/xz-model.json" --title "xz -2 on 4 MB: time lost or gained by a compressed cache" -o "$out/xz-model.svg"

title "4. The study of 1996: Winstone on 8 MB, the document's figures beside ours"
run model "$here/models/winstone96.csv" --m 8MB --compare 1996 --json "$out/winstone-model.json"
run plot "$here/models/winstone96.csv" --title "Winstone 1996: page-file reads and writes by memory size" \
    -o "$out/winstone-faults.svg"
run plot "$out/winstone-model.json" --title "Winstone on 8 MB: overhead of a compressed cache (model of 1996)" \
    -o "$out/winstone-model.svg"

title "Files"
for file in xz.trace xz-faults.csv xz-faults.json xz-faults.* xz-model.json xz-model.* winstone-model.json \
    winstone-faults.* winstone-model.*; do
    for found in "$out"/$file; do
        [ -s "$found" ] && printf '%s\n' "$found"
    done
done | awk '!seen[$0]++'
echo
echo "Open the .svg files in a browser. Next: build/pagelab --help, or ./bootstrap check."
