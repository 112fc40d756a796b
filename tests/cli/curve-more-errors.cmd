# What the further questions refuse, and how.
printf '1\n2\n3\n' >t.txt
printf 'page,bytes\n1,2\n1,3\n' >twice.csv
printf 'page,bytes\n1,-2\n' >below.csv
printf 'a,b\n1,2\n' >other.csv
printf 'bytes,pages\n100,0\n' >nothing.csv
printf 'bytes,pages\n' >empty.csv
for line in '--windows 2 --by phase' '--restart' '--restart --by process' '--windows 2 --policy clock' '--by process --rate 0.1' \
    '--show intervals --reads-only' '--windows 2 --sizes 50%' '--windows 2 --all-sizes' '--window-time 1s' '--window-time=-1s' \
    '--page-bytes twice.csv' '--page-bytes below.csv' '--page-bytes other.csv' '--page-bytes nothing.csv' \
    '--page-bytes empty.csv' '--page-bytes none.csv' '--policy fifo --samples 100' '--show intervals --plot x.svg' '--windows 2 --plot x.svg'; do
    pagelab curve t.txt -f numbers $line
    echo "status $?"
done 2>&1
