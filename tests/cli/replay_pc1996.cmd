# A compressed cache of 1 MB on a PC of 8 MB: what it costs, and how blocks of writes split; and a disk cache beside it.
for cache in 4KiB 512KiB; do
    for store in true false; do
        echo "disk cache $cache, compressed cache $store"
        pagelab replay "$srcdir/models/scenarios/office-1996.json" --machine pc-1996 --param touches=16384 \
            --param disk_cache=$cache --set store.enabled=$store --json - |
            grep -E '"(elapsed_s|disk_reads|disk_writes|disk_write_requests|write_split|store_hits)":'
    done
done
