# A tenth of the pages on a tenth of the machine, beside the whole: off by how many percent? What it refuses.
pagelab trace gen zipf --pages 50000 -n 600k -o z.trace -q
set_machine='--machine two-level --set memory.resident=10000p --set store.max_pages=10000p --set store.max_bytes=20MiB'
pagelab replay z.trace $set_machine -q --json whole.json
pagelab replay z.trace $set_machine -q --json sample.json --sample 0.1
for key in faults_hard disk_writes store_hits; do
    whole=$(tr -d ' \n' <whole.json | sed "s/.*\"$key\":\([0-9]*\).*/\1/")
    sampled=$(tr -d ' \n' <sample.json | sed "s/.*\[\"$key\",[0-9]*,\([0-9]*\)\].*/\1/")
    echo "$key $whole $sampled" | awk '{ off = 100 * ($3 / $2 - 1); off = off < 0 ? -off : off; print $1, (off < 4 ? "close" : "off by " off " %") }'
done
pagelab replay z.trace $set_machine --sample 0 2>&1
echo "status $?"
pagelab replay z.trace $set_machine --set working_set.policy=opt --sample 0.1 -q 2>&1
echo "status $?"
# Pages of a sample hold what they held in the whole: the store is a tenth, and equal pages are as few.
for sample in '' '--sample 0.1'; do
    pagelab replay "$srcdir/models/scenarios/cppeater.json" --machine "$srcdir/models/win10-1607-i7-4770k.json" --param size=100MiB \
        --param fill=rand $sample -q --json - 2>/dev/null | sed -n 's/^ *"store_peak_bytes": \([0-9]*\).*/\1/p'
done | awk 'NR == 1 { whole = $1 } NR == 2 { print ($1 > 0.09 * whole && $1 < 0.11 * whole) ? "a tenth" : $1 " of " whole }'
