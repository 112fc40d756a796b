# What is no result, sizes and names; every line names what was wrong.
printf 'memory_mb,hits\n1,2\n' >hits.csv
printf 'memory_mb,reads\n1,2\n2,none\n' >bad.csv
for line in '' 'nowhere.csv' 'hits.csv' 'bad.csv' 'bad.csv --size 8x8' 'bad.csv --size 80' 'bad.csv -o x.gif' \
    'bad.csv --figure curve' 'bad.csv --lg x'; do
    pagelab plot $line
    echo "$?"
done
