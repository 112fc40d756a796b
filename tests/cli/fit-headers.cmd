# Columns by name with their units, thousands marks, tabs, comments, rows in any order and twice: the same table, the same fit.
fit() { pagelab fit "$1" --form power --csv - -q 2>&1 | grep -v '^#' | cksum; }
cat >plain.csv <<'END'
memory_mb,reads,writes
8,1234000,20000
12,110000,9500
12,100000,9000
14,50000,4000
16,10000,1000
END
printf '# of nobody\nWrites\tMemory (KiB)\tReads [thousands]\n9 500\t12288\t110\n20000\t8192\t1,234.000\n' | sed 's/1,234.000/1234/' >tabs.tsv
printf '4000\t14336\t50\n1000\t16384\t10\n9 000\t12288\t100\n' >>tabs.tsv
printf 'memory (pages);page-file reads;writes\n2048;1,234,000;20 000\n' >semicolons.csv
printf "3072;110'000;9500\n3072;100'000;9000\n3584;50'000;4000\n4096;10000;1000\n" >>semicolons.csv
fit plain.csv >fitted
for table in tabs.tsv semicolons.csv; do fit $table; done | cat fitted - | uniq | wc -l
pagelab fit plain.csv --form power --csv - -q | grep -c "^[0-9]"
printf 'memory (furlongs),reads\n1,2\n' | pagelab fit - 2>&1
printf 'memory_mb,reads (dozens)\n1,2\n' | pagelab fit - 2>&1
printf 'memory,reads\n1,2\n' | pagelab fit - 2>&1
printf 'memory_mb;reads\n1;1,234\n' | pagelab fit - 2>&1
true
