# curve + model and replay of the same trace say the same.
pagelab replay "$srcdir/traces/example.trace" --machine rc96 --set memory.total=48p --set store.max_bytes=16p \
    --json - | grep -E '"(effect_s|disk_reads|disk_writes|without_store_disk_reads)":'
pagelab curve "$srcdir/traces/example.trace" --csv curve.csv --quiet
pagelab model curve.csv --m 48p --d 16p --interpolation exact --json - | grep '"total_s":'
