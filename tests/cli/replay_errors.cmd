# Mistakes are named, with the nearest right word; a run that cannot go on says why and ends with status 1.
cp "$srcdir/models/two-level.json" "$srcdir/models/rc96.json" "$srcdir/traces/example.trace" .
trace=example.trace
pagelab replay "$trace"
pagelab replay "$trace" --machine two-level.json --set store.max_page=3p
pagelab replay "$trace" --machine two-level.json --set store.max_pages=3
pagelab replay "$trace" --machine two-level.json --set working_set.policy=lrv
pagelab replay "$trace" --machine rc96.json --set memory.lists=true
pagelab replay "$trace" --machine rc96.json --set store.max_bytes=9MiB
pagelab replay "$trace" --machine no-such-machine 2>&1 | sed 's/there are .*two-level.*/there are .../' >&2
pagelab replay "$trace" --machine two-level.json --set memory.page_size=8KiB --quiet && echo "another page size than the trace's is taken"
pagelab replay "$trace" --machine two-level.json --set store.enabled=false --set memory.resident=8p --set page_file.size=8p --quiet
status=$?
pagelab replay "$trace" --machine two-lvel
pagelab replay "$trace" --machine rc96.json --machine two-level.json
pagelab replay "$trace" --machine win10-1607-i7-4770k --set memory.total=4MiB 2>&1 | sed 's/^[^:]*: [^:]*json:/pagelab: JSON:/' >&2
exit $status
