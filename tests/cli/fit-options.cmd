# One form, jointly, robust, in pages; repeated rows, thousands marks, units and comments in what people write.
cat >t.tsv <<'T'
# typed from a report
Memory (MB)	Pagefile Reads	Pagefile Writes
8	10 100	5000
4	80 000	40 000
# another run
4	82000	41000
16	160	80
6	29000	14500
12	1300	650
10	3700	1800
T
pagelab fit t.tsv --form exponential --joint --loss huber --space linear --sizes 4MB:16MB:4MB
pagelab fit t.tsv --form power --weights spread
