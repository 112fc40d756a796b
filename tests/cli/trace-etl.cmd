# A Windows event trace as a trace: its faults; the reads of hard faults when those are all there is; and a cut file, whose
# damage has a name.
"$BUILD/tests/support/etl_sample" >t.etl
"$BUILD/tests/support/etl_sample" --hard-only >hard.etl
pagelab trace info t.etl
pagelab trace info hard.etl --json - | grep -E '"(accesses|pages|processes|lost_records|unknown_events)": [0-9]'
head -c 5000 t.etl >cut.etl
pagelab trace check cut.etl
