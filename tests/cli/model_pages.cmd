# A table in pages through a pipe, reads only, read exactly.
{
    echo '# rule: demand-zero'
    echo 'memory_pages,reads'
    for pages in 1 2 3 4 5 6 7 8; do echo "$pages,$((128 - pages * 16))"; done
} | pagelab model - --m 6p --d 2p --r 2 --cd 100us --ch 1ms --interpolation exact
