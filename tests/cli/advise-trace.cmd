# Advice on traces: one answer, also where model and replay disagree. Numbers that are the simulator's own are held in its
# tests; here figures are left out of the words, and what must agree is compared.
exec 2>&1
T=$srcdir/traces/example.trace
advise() {
    pagelab advise "$T" "$@" --quiet --json out.json || echo "status $?"
}
result() { awk -F: -v key="\"$1\"" '$1 ~ key { sub(/,$/, "", $2); print $2 + 0; exit }' out.json; }
words() { awk -F'": ' -v key="\"$1\"" '$1 "\"" ~ key { sub(/,$/, "", $2); print $2; exit }' out.json; }
say() {
    advise "$@"
    for key in verdict answer; do words $key | sed 's/[0-9][0-9.]*/N/g; s/N [munKMG]\{0,1\}i\{0,1\}[sB]\>/N/g'; done
}

echo '-- the accounting of 1996, and two levels: the replay is the model'
for line in 'rc96 --memory 64p' 'rc96 --memory 64p --cd 30us' 'two-level --memory 80p' 'two-level --set memory.resident=64p --r 3 --cd 20us'; do
    echo "$line"
    say --machine $line
    awk -v a="$(result effect_s)" -v b="$(result replay_effect_s)" 'BEGIN { d = a - b; if (d < 0) d = -d;
        print (d <= 1e-9 * (a < 0 ? -a : a) ? "    equal" : "    " a " and " b) }'
done
echo '-- model and replay disagree: the answer is the replay'\''s, and says so'
say --machine zram-lz4 --memory 64p
awk -v a="$(result effect_s)" -v b="$(result replay_effect_s)" 'BEGIN { print (a < 0), (b > 0) }'
echo '-- a zram holds all that does not fit, or is not offered'
pagelab trace gen loop --pages 3000 -n 12000 --writes 1 -o loop -q
for memory in 6MiB 11MiB; do pagelab advise loop --machine zram-lz4 --memory $memory --quiet --json out.json
    awk '/"none"|"SSD only"/ || /"zram", [^"]/ { gsub(/[0-9.e+-]+,/, "N,"); print }
        /"zram", "disksize/ { gsub(/[0-9.]+ [KM]iB/, "N"); print }' out.json; done
echo '-- a machine with an SSD: zswap stands on it'
pagelab advise loop --machine zswap-zstd --memory 11MiB --quiet --json out.json
grep -c 'SSD only' out.json
echo '-- memory of another size: what the machine fixes goes with it'
for memory in 64p 96p 128p; do
    advise --machine two-level --memory $memory
    echo "$memory: $(result m_mb)"
done
for path in memory.total memory.kernel working_set.trim_below working_set.trim_until writer.available_below store.max_pages; do
    pagelab replay "$T" --machine zram-lz4 --memory 128MiB --parameters | grep -F " $path " | tr -s ' '
done
pagelab replay "$T" --machine zram-lz4 --memory 128MiB --set memory.kernel=3MiB --parameters | grep -F ' memory.kernel ' | tr -s ' '
for memory in 0 1 much; do pagelab replay "$T" --machine zram-lz4 --memory $memory; echo "status $?"; done
echo '-- everything fits'
say --machine win10-1607-i7-4770k
pagelab advise "$T" --machine win10-1607-i7-4770k | sed -n '/^Results/,$p'
echo '-- no more than is allowed'
for most in 0.1 0.5 1 0 2; do
    advise --machine rc96 --memory 64p --cd 30us --most $most
    [ -e out.json ] || continue
    echo "$most: $(result best_d_mb)"
    grep -o 'The best size is the largest that was allowed' out.json
    rm out.json
done
