# The same input gives the same bytes, also through a stream; the table goes to the CSV.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d,%d;", i, i * 7 % 64 }' >data
pagelab compress data --codecs xpress --no-timing --json one.json --csv - &&
    pagelab compress - <data --codecs xpress --no-timing --quiet --json two.json &&
    grep -v '"command"\|"data"\|"-"\|json' one.json >one && grep -v '"command"\|"data"\|"-"\|json' two.json >two &&
    cmp one two && echo same
