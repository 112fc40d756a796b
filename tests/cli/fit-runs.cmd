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
# Times of a machine that compresses for nothing, or whose pages do not shrink: cd, and r, end at their bounds.
bound() { # options of the model, of the fit
    pagelab model $W --sweep d=0:2MB:0.25MB $1 --csv - |
        awk -F, '/^d_mb/ { print "d_mb,total_s"; next } !/^#/ { printf "%s,%.1f\n", $1, $4 + 1227 + (NR % 3 - 1) * 0.8 }' |
        pagelab fit $W --runs - --frac 0 --ch 10ms --base 300s $2 --csv - | grep -E '^(cd|r),' | cut -d, -f1,7
}
bound '--cd 0ms'
bound '--r 1' '--cd 2ms'
printf 'd_mb,total_s\n9,100\n' | pagelab fit $W --runs -
