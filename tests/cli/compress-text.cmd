# Text, zeros, one word, duplicates and a last page that is not full: every class of page, by the project's own codecs.
awk 'BEGIN { for (i = 0; i < 1500; i++) printf "line %d of a log: value %d, state %d\n", i, i * i % 977, i % 7 }' >text
head -c 12288 /dev/zero >zeros
head -c 8192 text >twice
awk 'BEGIN { for (i = 0; i < 512; i++) printf "deadbeef" }' >word
pagelab compress text zeros twice word --codecs xpress,wkdm,constant:1.6 --stores windows,zram,zbud,ideal --no-timing
