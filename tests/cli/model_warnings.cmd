# Rows out of order are sorted, repeated ones averaged, rising counts warned about.
printf 'memory_mb,reads,writes\n8,100,10\n6,400,40\n8,120,12\n7,90,20\n9,50,25\n' >odd.csv
pagelab model odd.csv --m 7MB --d 1MB --r 2 --cd 1ms --ch 10ms --csv - | tail -n 2
