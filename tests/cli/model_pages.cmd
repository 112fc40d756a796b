# A table in pages through a pipe, reads only, read exactly.
{
    echo '# rule: demand-zero'
    echo 'memory_pages,reads'
    for pages in 1 2 3 4 5 6 7 8; do echo "$pages,$((128 - pages * 16))"; done
} | pagelab model - --m 6p --d 2p --r 2 --cd 100us --ch 1ms --interpolation exact
# Memory beyond the last fault: not "a cache does not pay", but nothing to pay for.
printf 'memory_pages,reads,writes\n10,100,50\n20,50,20\n30,10,5\n40,0,0\n50,0,0\n' >enough.csv
for m in 25p 40p 1GiB; do pagelab model enough.csv --page-size 4KiB --m $m | grep -E 'it never pages|a cache |neither'; done
