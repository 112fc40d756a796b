# Every kind of fault in one scenario, and collisions; none of the counts may be zero, whatever they are.
cat >faults.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "every kind of fault", "about": "Two programs whose pages are equal, guarded, written out, compressed and read back by two threads at once.",
  "processes": [
    { "name": "first", "threads": [
        { "steps": [
          { "allocate": "heap", "size": "120p" }, { "allocate": "guarded", "size": "2p", "kind": "guard" },
          { "touch": "heap", "mode": "write", "accesses": "all", "fill": "index" }, { "touch": "guarded", "mode": "write" },
          { "phase": "combine" }, { "list": "combine" }, { "touch": "heap", "part": 0.1, "mode": "write" },
          { "phase": "trim" }, { "trim": "self" }, { "touch": "heap", "part": 0.05 }, { "sleep": "1s" }, { "list": "purge-standby" },
          { "phase": "again" }, { "touch": "heap" } ] },
        { "steps": [ { "phase": "combine" }, { "phase": "trim" }, { "phase": "again" }, { "touch": "heap" } ] } ] },
    { "name": "second", "steps": [
        { "allocate": "heap", "size": "60p" }, { "touch": "heap", "mode": "write", "accesses": "all", "fill": "index" },
        { "phase": "combine" }, { "phase": "trim" }, { "phase": "again" }, { "touch": "heap", "mode": "write" } ] } ] }
END
pagelab replay faults.json --machine win10-1607-i7-4770k --set memory.kernel=0 --set memory.total=200p --set store.max_pages=30p \
    --set store.touch_cancels=false --set working_set.trim_below=4p --set working_set.trim_until=8p \
    --set writer.available_below=8p --set page_file.size=600p --check --quiet --json result.json
echo "status $?"
for count in faults_demand_zero faults_transition faults_store faults_hard faults_copy_on_write faults_guard collided combined; do
    value=$(sed -n "s/^    \"$count\": \([0-9]*\),$/\1/p" result.json)
    if [ "${value:-0}" -gt 0 ]; then echo "$count: some"; else echo "$count: none"; fi
done
