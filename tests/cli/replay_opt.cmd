# OPT through replay is what curve finds; it needs the trace twice, and touches in the trace's order.
awk 'BEGIN { for (p = 0; p < 3; p++) for (i = 0; i < 100; i++) printf "%08x W\n", 4096 * i }' >three
bare="--machine two-level --set memory.resident=20p --set store.enabled=false"
reads() { # its JSON
    sed -n 's/^    "disk_reads": \(.*\),$/\1/p' "$1"
}
pagelab curve three --rule memsim --policy opt --sizes 20p --csv - -q | grep -v '^#'
for policy in opt lru; do
    pagelab replay three $bare --set working_set.policy=$policy --check --quiet --json out.json && echo "$policy: $(reads out.json)"
done
pagelab replay - --machine two-level --set working_set.policy=opt --quiet <three 2>&1
echo "status $?"
cat >loops.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "loops", "about": "Three programs with 60 pages each.",
  "processes": [ { "name": "loop", "copies": 3, "steps": [ { "allocate": "heap", "size": "60p" },
        { "repeat": 5, "do": [ { "touch": "heap", "mode": "write" } ] } ] } ] }
END
loops="loops.json --machine two-level --set memory.resident=40p --set store.enabled=false --set working_set.scope=global"
pagelab replay $loops --set working_set.policy=opt --quiet 2>&1
echo "status $?"
pagelab curve loops.json --rule memsim --policy opt --sizes 40p --csv - -q | grep -v '^#'
pagelab replay $loops --set working_set.policy=opt --set run.order=trace --check --quiet --json out.json && echo "in the trace's order: $(reads out.json)"
