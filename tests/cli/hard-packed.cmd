# Compressed input: whole, empty, cut off, with a wrong byte, not what its name says; each by the message of its kind.
for program in gzip xz zstd bzip2 lz4; do
    command -v $program >/dev/null 2>&1 || { echo "no $program here"; exit 77; }
done
exec 2>&1
awk 'BEGIN { for (i = 0; i < 30000; i++) print i * 7919 % 100003 }' >t
: >nothing
pack() { # packs $2 by $1
    case $1 in lz4) lz4 -q -c "$2" ;; zst) zstd -q -c "$2" ;; *) case $1 in gz) gzip -c "$2" ;; xz) xz -c "$2" ;; *) bzip2 -c "$2" ;; esac ;; esac
}
try() {
    pagelab trace info "$1" -q --csv info.csv
    echo "$1: status $?"
}
for kind in gz xz zst bz2 lz4; do
    pack $kind t >t.$kind && try t.$kind
    pagelab curve t.$kind --sizes 10% --csv - | tail -n 1
    pack $kind nothing >nothing.$kind && try nothing.$kind
    bytes=$(wc -c <t.$kind)
    # libraries word what they miss in their own ways
    for keep in 12 $((bytes / 2)) $((bytes - 1)); do
        head -c $keep t.$kind >cut.$kind
        try cut.$kind 2>&1 | sed 's/\(damaged or cut-off [a-z0-9]* data\): .*/\1/'
    done
    { head -c $((bytes - 40)) t.$kind; printf 'wrong'; tail -c 35 t.$kind; } >wrong.$kind
    pagelab trace info wrong.$kind -q >/dev/null 2>&1
    echo "wrong.$kind: status $?"
done
# Several members are checked as a whole; padding is no damage, other bytes behind the last are.
cat t.gz nothing.gz t.gz t.gz >thrice.gz && try thrice.gz && wc -l <info.csv
{ cat t.gz; head -c 40000 t.gz; printf 'wrong'; tail -c +40006 t.gz; cat t.gz; } >wrong.gz && try wrong.gz
{ cat t.gz; head -c 512 /dev/zero; } >padded.gz && try padded.gz
{ cat t.gz; echo more; } >more.gz && try more.gz
mv t.gz t.txt && try t.txt
tar cf t.tar t && try t.tar
