# The events of one kind with their fields, by name or id; samples of the memory lists; the reference set by category.
"$BUILD/tests/support/etl_sample" >t.etl
pagelab trace events t.etl --event MemInfo --csv - | grep -v '^#'
pagelab trace events t.etl --event PageFault/VirtualAlloc --csv - | grep -v '^#'
pagelab trace events t.etl --event 0x0301 --csv - | grep -v '^#'
pagelab trace events t.etl --reference-set --csv - | grep -v '^#'
