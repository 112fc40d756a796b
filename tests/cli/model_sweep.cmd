# Two parameters give a long table; combinations that make no sense are left out and counted.
cd "$srcdir"
pagelab model models/winstone96.csv --sweep d=0,1MB,9MB --sweep r=1:3:1
pagelab model models/winstone96.csv --sweep m=7MB:9MB:1MB --accounting two-level | head -n 1
