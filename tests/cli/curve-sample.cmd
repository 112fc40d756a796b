# A sampled curve: the same twice, errors beside the counts; what it refuses.
awk 'BEGIN { x = 1; for (i = 0; i < 200000; i++) { x = (x * 1103515245 + 12345) % 2147483648; y = x / 2147483648; printf "%d\n", 3000 * y * y * y } }' >t.txt
pagelab curve t.txt -f numbers --rate 0.2 --sizes 16p:1024p:x2 --csv a.csv -q
pagelab curve t.txt -f numbers --rate 0.2 --sizes 16p:1024p:x2 --csv b.csv -q
cmp a.csv b.csv && grep -v '^#' a.csv | head -n 1
pagelab curve t.txt -f numbers --sizes 16p:1024p:x2 --csv e.csv -q
# Off by how much, at most, in percent of the exact reads?
grep -v '^#' e.csv >exact && grep -v '^#' a.csv | paste -d, - exact | awk -F, '$1 + 0 > 0 { d = ($3 - $10) / $10; d = d < 0 ? -d : d; if (d > most) most = d } END { print (most < 0.1 ? "close" : "off by " most) }'
pagelab curve t.txt -f numbers --samples 200 --sizes 256p --json - | grep -c '"sampling_rate"'
for line in '--rate 0' '--rate 2' '--samples 3' '--samples 100 --policy fifo'; do
    pagelab curve t.txt -f numbers $line
    echo "status $?"
done 2>&1
