# The inverse problem: costs and ratio from run times; too few runs name what they cannot tell apart.
cd "$srcdir"
W=models/winstone96.csv
runs() { # times of the forward model, 300 s of computing, with 0.8 s of scatter
    pagelab model $W --sweep d=0:2MB:0.25MB --csv - |
        awk -F, '/^d_mb/ { print "d_mb,total_s"; next } !/^#/ { printf "%s,%.1f\n", $1, $4 + 1227 + (NR % 3 - 1) * 0.8 }'
    echo ',1227.5'
}
runs | pagelab fit $W --runs - --frac 0
runs | sed -n '1p;6p;7p' | pagelab fit $W --runs - --frac 0 --base 300s | sed -n '1p;/^Note/,$p'
printf 'd_mb,total_s\n9,100\n' | pagelab fit $W --runs -
