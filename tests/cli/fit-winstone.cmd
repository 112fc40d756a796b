# All forms side by side on the table of 1996; the best for reads and for writes predicts left-out rows within 5 %.
cd "$srcdir"
pagelab fit models/winstone96.csv
