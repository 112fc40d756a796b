# Studies that come with the program: what they find, and their exports.
# The hash is of the study, its machine and its traces: it changes with every parameter that machines get.
no_hash() { sed 's/\(hash: \|hash of the study  \)[0-9a-f]*/\1HASH/'; }
cd "$srcdir/models/studies" || exit 99
for study in winstone curve replay; do
    out=$(mktemp) && rm -f "$out"
    pagelab sweep $study.json -o "$out" -q || echo "status $?"
    pagelab sweep best "$out" --count 3 | no_hash
    pagelab sweep export "$out" --csv - | sed -n '1,26p' | no_hash
    rm -f "$out"
done
