# What runs full or runs out: each ends with a result that says so, or with one sentence and a status.
passes() { # PAGES PASSES: every page is written, in order, so often
    awk -v pages="$1" -v passes="$2" 'BEGIN { for (p = 0; p < passes; p++) for (i = 0; i < pages; i++) printf "%08x W\n", 4096 * i }'
}
run() { # TITLE KEYS ARGUMENTS
    echo "== $1"
    keys=$2
    shift 2
    rm -f result.json
    pagelab replay "$@" --check --quiet --json result.json 2>&1
    echo "status $?"
    [ ! -e result.json ] || grep -E "^    \"($keys)\":" result.json
}
passes 100 3 >three
passes 39 4 >writes
lists="--machine plain-hdd --set memory.kernel=0 --set working_set.trim_below=4p --set working_set.trim_until=8p --set writer.available_below=8p"
two="--machine two-level --set memory.resident=20p"

run "no page file, and all fits" "touches|faults_hard|disk_writes" three $lists --set memory.total=140p --set page_file.size=0
run "no page file, and it does not" "touches|disk_writes" three $lists --set memory.total=60p --set page_file.size=0
run "the same without lists" "touches|disk_writes" three $two --set store.enabled=false --set page_file.size=0
run "no page file, the store takes the rest" "touches|faults_store|faults_hard|disk_writes" three $two --set store.max_pages=80p --set page_file.size=0
run "memory smaller than one working set" "touches|faults_hard|evicted_dirty" three $lists --set memory.total=20p
run "one frame" "touches|faults_demand_zero|faults_hard" three --machine two-level --set memory.resident=1p --set store.enabled=false
run "no frame" "touches" three --machine two-level --set memory.resident=0p
run "one frame with lists" "touches" three $lists --set memory.total=1p
run "a store that rejects" "faults_store|faults_hard|store_refused|store_written" three $two --set store.max_pages=30p --set store.when_full=reject
run "a store that rejects everything" "faults_store|faults_hard|store_refused|store_pages" three $two --set store.max_pages=0p
run "a full store that writes out" "faults_store|faults_hard|store_refused|store_written|store_pages" three $two --set store.max_pages=30p
run "a store limited in bytes" "faults_store|faults_hard|store_refused|store_written|store_peak_bytes" three $two --set store.max_bytes=60KiB --set store.ratio=2
run "a zram device that is full" "touches|store_pages" three --machine zram-lz4 --set memory.total=60p --set memory.kernel=0 --set store.max_pages=30p --set working_set.trim_below=4p --set working_set.trim_until=8p --set writer.available_below=8p
run "a page file that fills" "touches|disk_writes" three $two --set store.enabled=false --set page_file.size=50p
run "the same with lists" "touches|disk_writes" three $lists --set memory.total=60p --set page_file.size=30p
run "a page file that is full of old copies" "touches|disk_writes|slots_reclaimed" writes $lists --set memory.total=24p --set page_file.size=16p
