# Wrong use of sweep.
study=$srcdir/models/studies/curve.json
run() {
    pagelab sweep "$@" 2>&1
    echo "status $?"
}
run
run "$study"
run "$study" -o r.sqlite --shard 3
run "$study" -o r.sqlite --search golden
run "$study" -o r.sqlite --optimize --shard 1/2
run "$study" -o r.sqlite -q
run show
run show nothing.sqlite
run best r.sqlite --minimise 'total'
run best r.sqlite --subject-to 'm <'
run best r.sqlite --minimise read_s --subject-to 'total_s < -1s'
run merge r.sqlite
run merge -o x.sqlite
run merge nothing.sqlite -o x.sqlite
ls
