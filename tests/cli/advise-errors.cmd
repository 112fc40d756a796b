# What gets no advice, and why.
cd "$srcdir" || exit 99
for more in "" "--machine rc96 --memory 4MB" "--machine rc95" "--machine rc96 --r 0.5" "--machine rc96 --set memory.totl=3"; do
    pagelab advise models/winstone96.csv $more 2>&1
    echo "status $?"
done
