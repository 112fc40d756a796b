# The two-level machine on the sample trace; what is checked in closed form by the unit tests is only looked at here.
pagelab replay "$srcdir/traces/example.trace" --machine two-level --set memory.resident=24p --set store.max_pages=24p \
    --quiet --json result.json
grep -E '"(touches|disk_reads|disk_writes|store_hits|elapsed_s|time_wait_disk_s)":' result.json
