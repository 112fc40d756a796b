# What would become wrong is refused, and nothing is left behind; a full disk is status 3.
printf 'pid,page\n1,5\n2,5\n' >t.csv
pagelab trace convert t.csv -o t.hex; echo "status $?"
ls
pagelab trace convert t.csv -o /dev/full --to csv; echo "status $?"
pagelab trace convert t.csv; echo "status $?"
