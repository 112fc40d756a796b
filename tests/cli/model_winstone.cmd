# The study of 1996, answer first, the document's figures beside ours.
cd "$srcdir"
pagelab model models/winstone96.csv --compare 1996 --compare-interpolations --step 0.5MB
