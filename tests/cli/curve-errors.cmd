# What curve refuses, and how.
printf '1\n2\n3\n' >t.txt
for line in '' 't.txt t.txt' 't.txt --sizes 5' 't.txt --sizes 5p --all-sizes' 't.txt --policy mru' 't.txt --threads 0' 'none.txt'; do
    pagelab curve $line -f numbers
    echo "status $?"
done 2>&1
