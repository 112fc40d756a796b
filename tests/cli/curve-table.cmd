# The fault table of a small trace under both rules, by every policy, and into the model.
printf '%s\n' '1000 R' '2000 W' '3000 R' '1000 W' '4000 R' '2000 R' '5000 R' '1000 R' '3000 W' '2000 R' >t.trace
pagelab curve t.trace --format memsim
pagelab curve t.trace -f memsim --rule memsim --csv -
for policy in lru fifo clock opt; do
    pagelab curve t.trace -f memsim --rule memsim --policy $policy --sizes 1p:5p:1p --csv - | grep -v '^#' | cut -d, -f2-4
done
pagelab curve - -f memsim --csv - <t.trace | pagelab model - --m 4p --d 1p --r 2 --cd 10us --ch 1ms --interpolation exact --json - |
    grep -c total_s
