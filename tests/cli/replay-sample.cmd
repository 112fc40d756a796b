# Compressing a sample: stored pages and duplicates are those of the whole, bytes within a hundredth of it; the result says so.
command -v jq >/dev/null || { echo "no jq here"; exit 77; }
for fill in index text mixed rand; do
    for sample in 1 16; do
        pagelab replay "$srcdir/models/scenarios/dedup.json" --machine win10-1607-i7-4770k --param size=2MiB --param copies=3 --param fill=$fill \
            --param wait=2s --set store.sample=$sample -q --json $sample.json
    done
    jq -r -s --arg fill $fill '[.[].results] | "\($fill): unique \(.[0].store_unique_pages) \(.[1].store_unique_pages), duplicates \(
        .[0].store_duplicate_pages) \(.[1].store_duplicate_pages), bytes \(
        if ((.[1].store_bytes / .[0].store_bytes) - 1 | fabs) < 0.01 then "as many" else "\(.[0].store_bytes) \(.[1].store_bytes)" end)"' \
        1.json 16.json
done
jq -r '.notes[]' 16.json | grep sample
