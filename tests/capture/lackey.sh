#!/bin/sh
# Real programs captured by the exact back end, against valgrind's lackey: the same pages of the traced regions and the same
# LRU curve (compare_lackey says what may differ). Prints TAP.
#
# The C library copies and fills long stretches with `rep movsb` and `rep stosb`, a touch for each byte, from lengths on that
# depend on the processor, and valgrind shows another one. So that both runs execute the same code it is told not to.
: "${BUILD:=build}"
PATH=$BUILD:$PATH
command -v valgrind >/dev/null || { echo "1..0 # skip valgrind is not here"; exit 0; }
pagecap backends --csv - | grep -q '^exact,yes' || { echo "1..0 # skip the exact back end does not work here"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
awk 'BEGIN { for (i = 0; i < 250; i++) print i * 7919 % 1009 }' >numbers
GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000
export GLIBC_TUNABLES
number=0
echo "1..2"
for command in "gzip -c numbers" "sort numbers"; do
    number=$((number + 1))
    pagecap run -q -b exact -o trace -- $command >captured 2>said &&
        valgrind --tool=lackey --trace-mem=yes --log-file=log $command >wanted 2>>said &&
        cmp captured wanted >>said &&
        "$BUILD/tests/capture/compare_lackey" trace log >>said
    if [ $? = 0 ]; then echo "ok $number - $command"; else echo "not ok $number - $command"; fi
    sed 's/^/#   /' said
done
