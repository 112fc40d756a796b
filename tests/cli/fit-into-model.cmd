# The fitted table as CSV is a fault table like any other.
cd "$srcdir"
pagelab fit models/winstone96.csv --sizes 6MB:16MB:1MB --csv - | awk -F, '/^#/ { next } /^m/ { print; next }
    { printf "%s,%s,%.5g,%.5g\n", $1, $2, $3, $4 }'
pagelab fit models/winstone96.csv --sizes 6MB:16MB:0.25MB --csv - | pagelab model - --d 1MB --r 2 | head -n 1
