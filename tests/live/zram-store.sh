#!/bin/sh
# What `pagelab compress` says of zram's store, against a zram device of this machine (root; makes a device and removes it).
# Not part of `make check`: BUILD=build sh tests/live/zram-store.sh. Prints TAP, and the figures as comments.
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$srcdir/build}
control=/sys/class/zram-control
[ "$(id -u)" = 0 ] && [ -r $control/hot_add ] || { echo "1..0 # skip needs root and zram's hot_add"; exit 0; }
work=$(mktemp -d) || exit 99
number=
finish() {
    [ -z "$number" ] || { echo 1 >"/sys/block/zram$number/reset"; echo "$number" >$control/hot_remove; }
    rm -rf "$work"
}
trap finish EXIT

# Programs, text, consecutive ints as text, zeros and pages of one word: about 16 MiB, whole pages.
{
    cat "$BUILD/pagelab" "$BUILD/libpagelab.a" "$srcdir"/src/*/*.c
    awk 'BEGIN { for (i = 0; i < 400000; i++) printf "%d %d\n", i, i * 7919 % 100003 }'
    head -c 2000000 /dev/zero
} >"$work/image"
size=$(($(wc -c <"$work/image") / 4096 * 4096))
head -c $size "$work/image" >"$work/pages"

number=$(cat $control/hot_add) || exit 99
device=/sys/block/zram$number
echo lz4 >"$device/comp_algorithm" && echo 256M >"$device/disksize" || exit 99
dd if="$work/pages" of="/dev/zram$number" bs=1M oflag=direct 2>"$work/dd" || { cat "$work/dd"; exit 99; }
sync
read -r original compressed used _ _ same _ huge _ <"$device/mm_stat"
"$BUILD/pagelab" compress "$work/pages" --codecs lz4 --stores zram --no-timing --quiet --json "$work/answer" || exit 99
row=$(tr -d ' \n' <"$work/answer" | sed 's/.*"stores":{.*"rows":\[\[\([^]]*\)\].*/\1/')
get() { echo "$row" | cut -d, -f"$1"; }

echo "1..5"
n=0
check() { # what, predicted, measured, tolerance in per mille
    n=$((n + 1))
    if awk "BEGIN { d = $2 - $3; if (d < 0) d = -d; exit !(d <= $3 * $4 / 1000) }"; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
    echo "#   predicted $2, measured $3"
}
check "bytes written" $size "$original" 0
check "same-filled pages" "$(get 5)" "$same" 0
check "pages kept raw" "$(get 7)" "$huge" 10
check "compressed bytes" "$(get 8)" "$compressed" 2
check "memory used" "$(get 9)" "$used" 10
