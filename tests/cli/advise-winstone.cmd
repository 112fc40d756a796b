# The question of 1996: no, unless the codec is faster; and a machine beyond the table gets no advice.
cd "$srcdir" || exit 99
pagelab advise models/winstone96.csv --machine rc96
echo status $?
pagelab advise models/winstone96.csv --machine rc96 --cd 30us --r 2.2 --csv -
echo status $?
