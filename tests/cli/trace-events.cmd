# What a Windows event trace holds: its events, known or not, and the hard faults with their files.
"$BUILD/tests/support/etl_sample" >t.etl
pagelab trace events t.etl
pagelab trace events t.etl --hard-faults --csv -
