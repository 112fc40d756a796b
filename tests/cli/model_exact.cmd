# The values that need no interpolation, as CSV: digits must not change.
for case in '8MB 0 1.6' '8MB 1MB 1' '8MB 1MB 2' '8MB 1MB 3' '8MB 1MB 4' '8MB 2MB 1.5' '10MB 4MB 2' '12MB 2MB 2'; do
    set -- $case
    printf '%s: ' "$case"
    pagelab model "$srcdir/models/winstone96.csv" --m $1 --d $2 --r $3 --cd 2ms --ch 10ms --csv - |
        awk -F, '/^[0-9]/ { printf "%.6f %.6f %.6f %s\n", $2, $3, $4, $5 }'
done
