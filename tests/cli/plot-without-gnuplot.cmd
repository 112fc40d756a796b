# plot fails with status 3 and one line; --plot of another command warns, and its numbers and status are good.
mkdir bin && ln -s "$BUILD/pagelab" bin/ && PATH=$PWD/bin
pagelab model "$srcdir/models/winstone96.csv" --m 8MB --r 2 --cd 2ms --ch 10ms -q --plot m.svg
echo "model: $?"
pagelab plot "$srcdir/models/winstone96.csv" -o w.svg
