# A cost surface over three parameters holds, for each value of the third, what a sweep over two finds.
table() { grep -v '^#' | tail -n +2; }
pagelab curve $srcdir/traces/phases.trace --csv t.csv -q
set -- t.csv --interpolation exact --cd 10us --ch 100us --sweep m=64p:512p:64p --sweep d=8p:64p:8p --csv -
for r in 1.5 2 3; do pagelab model "$@" --r $r | table | sed "s/^\([^,]*,[^,]*\),/\1,$r,/"; done | sort >two
pagelab model "$@" --sweep r=1.5,2,3 | table | sort >three
cmp two three && wc -l <three
# With exact interpolation of every size there is no interpolation: the reads are those of the curve.
reads() { awk -F, -v at=$1 '!/^#/ && $2 == at { print $3 }' t.csv; }
pagelab model t.csv --interpolation exact --m 100p --d 20p --r 2 --cd 0.5us --ch 1us --csv - | grep '^# read_s'
awk -v few=$(reads 80) -v all=$(reads 100) -v more=$(reads 120) 'BEGIN { print "# by hand:", (0.5 * few + more - all) / 1e6 }'
for axes in '--sweep m=64p,65p --sweep m=1p,2p --sweep r=2,3' '--sweep r=2 --sweep d=1p --sweep m=9p --sweep cd=1us'; do
    pagelab model t.csv --cd 10us --ch 100us $axes
    echo "status $?"
done 2>&1
