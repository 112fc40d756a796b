# Whether the conclusion of 1996 survives the scatter of the rows, at r = 1.6 and at r = 2; the same seed, the same band.
cd "$srcdir"
for r in 1.6 2; do
    pagelab model models/winstone96.csv --fit auto --r $r | grep -A60 '^The fitted cost' | grep -v '^Note: Costs'
done
pagelab model models/winstone96.csv --fit two-exponentials --bootstrap 20 --d 1MB --r 2 --json - | sed -n '/"fit_[a-z_]*": [^{]/s/\(\.[0-9][0-9]\)[0-9]*/\1/p'
pagelab model models/winstone96.csv --fit two-exponentials --bootstrap 20 --sweep r=1,2
