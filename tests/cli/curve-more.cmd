# Further questions to curve, each held against another way to the same numbers.
T=$srcdir/traces/phases.trace
table() { grep -v '^#' | tail -n +2; } # rows of a CSV
same() { cmp "$1" "$2" && echo "$3: the same"; }
sizes=1p,16p,100p,256p,700p,5000p

# Windows, added up, make the whole curve: windows of accesses, and phases.
pagelab curve $T --sizes $sizes --csv - | table | cut -d, -f2-5 >whole
for windows in '--windows 777' '--by phase'; do
    pagelab curve $T $windows --sizes $sizes --csv - | table |
        awk -F, '{ r[$5] += $6; w[$5] += $7; c[$5] += $8 } END { for (m in r) print m "," r[m] "," w[m] "," c[m] }' |
        sort -n >sums
    same whole sums "curve $windows"
done

# A phase that begins with empty memories is the curve of that part of the trace alone.
pagelab trace cut $T --from 6666 --to 13333 -q -o part.trace
pagelab curve part.trace --sizes $sizes --csv - | table | cut -d, -f2-5 >alone
pagelab curve $T --by phase --restart --sizes $sizes --csv - | table | grep '^2,' | cut -d, -f5-8 >phase
same alone phase "--restart"

# A process alone is the curve of its lines; together they are the whole.
awk 'BEGIN { print "time,pid,op,address,size"; for (i = 0; i < 3000; i++) {
    pid = 10 + int(i / 7) % 3; printf "%d,%d,%s,%d,4\n", i, pid, i % 4 ? "R" : "W", 4096 * ((i * i * pid) % 211) } }' >t.csv
pagelab curve t.csv -f csv --by process --sizes 10p,50p,500p --csv processes -q
pagelab curve t.csv -f csv --sizes 10p,50p,500p --csv - | table | cut -d, -f2-5 >whole
grep ^all, processes | cut -d, -f5-8 >all
same whole all "all processes"
awk -F, 'NR == 1 || $2 == 11' t.csv | pagelab curve - -f csv --sizes 10p,50p,500p --csv - | table | cut -d, -f2-5 >alone
grep ^,11, processes | cut -d, -f5-8 >eleven
same alone eleven "process 11"

# Windows of time: one a second, with ten accesses at most each.
pagelab curve t.csv -f csv --window-time 1000s --sizes 50p --csv - | table

# Pages of a whole page's bytes are pages.
pagelab curve $T --all-sizes --csv - | table >whole
printf 'bytes,pages\n4096,5\n' | pagelab curve $T --page-bytes - --all-sizes --csv - | table >bytes
same whole bytes "--page-bytes 4096"
printf 'page,bytes\n0,4096\n1,4096\n' | pagelab curve $T --page-bytes - --all-sizes --json - | grep -c '"unnamed_pages": 1788'

# The optimum's curve is what a run for each size finds.
pagelab curve $T --policy opt --sizes $sizes --csv - | table | cut -d, -f2-3 >runs
pagelab curve $T --policy opt --reads-only --sizes $sizes --csv - | table | cut -d, -f2-3 >one
same runs one "--policy opt --reads-only"
pagelab curve $T --policy clock --sizes $sizes --csv - | table >full
pagelab curve $T --policy clock --rate 1 --sizes $sizes --csv - | table >mini
same full mini "--policy clock --rate 1"

# Without write-backs there is no column of them, and the model does without.
pagelab curve $T --policy opt --reads-only --csv - | pagelab model - --m 64p --d 10p --cd 10us --ch 100us --json - | grep -c '^    "total_s"'

# Small enough to check by hand: a b a c b a.
printf '1\n2\n1\n3\n2\n1\n' >t.txt
pagelab curve t.txt -f numbers --show working-set
pagelab curve t.txt -f numbers --show intervals --csv -
