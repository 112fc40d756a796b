# A cut-off gzip: what could be read, and that something is missing; status 1 from check, 2 from info.
awk 'BEGIN { for (i = 0; i < 60000; i++) print i * 7919 % 100003 }' | gzip -n >t.gz
head -c 100000 t.gz >cut.gz
pagelab trace check cut.gz --json - | jq -c '[.results.accesses > 10000, .results.whole, .tables.findings.rows[0][0]]'
pagelab trace check cut.gz --quiet; echo "status $?"
pagelab trace check t.gz --quiet && echo whole
pagelab trace info cut.gz --skip-damaged --json - | jq -c '.tables.skipped.rows[0][0]'
pagelab trace info cut.gz
