# Studies that come with the program: what they find, and their exports.
cd "$srcdir/models/studies" || exit 99
for study in winstone curve replay; do
    out=$(mktemp) && rm -f "$out"
    pagelab sweep $study.json -o "$out" -q || echo "status $?"
    pagelab sweep best "$out" --count 3
    pagelab sweep export "$out" --csv - | sed -n '1,26p'
    rm -f "$out"
done
