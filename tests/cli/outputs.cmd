# No output ever takes the place of an input: every command that writes a file, that file being each of its inputs, named
# another way than on the line before. Then outputs that are one file under two names, and places that take no file.
exec 2>&1
cp "$srcdir/models/winstone96.csv" table.csv
cp "$srcdir/models/plain-hdd.json" "$srcdir/models/measurements/kraus-cppeater.json" "$srcdir/models/studies/curve.json" .
cp "$srcdir/models/scenarios/cppeater.json" scenario.json
awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 7919 % 301 }' >t
printf 'page,bytes\n0,4096\n' >bytes.csv
printf 'd,total_s\n1MB,1\n' >runs.csv
echo 'var Chart = 1;' >chart.js
pagelab model table.csv --m 8MB --r 2 --cd 2ms --ch 10ms --json result.json -q
echo database >one.sqlite; cp one.sqlite two.sqlite
mkdir before folder; cp t ./*.* before/
ln -s ../t folder/link

check() { # the file an output would replace, the command line
    file=$1; shift
    pagelab "$@" >said 2>&1; status=$?
    echo "$* -> $status: $(cat said)"
    cmp "$file" "before/$file"
}
for out in --json --csv --plot; do
    check table.csv model table.csv --m 8MB --r 2 --cd 2ms --ch 10ms $out ./table.csv
    check table.csv fit table.csv $out folder/../table.csv
    check runs.csv fit --runs runs.csv table.csv $out ./runs.csv
    check t curve t $out folder/link
    check bytes.csv curve t --page-bytes bytes.csv $out ./bytes.csv
    check t replay t -m plain-hdd.json $out ./t
    check plain-hdd.json replay t -m plain-hdd.json $out ./plain-hdd.json
done
check t replay t -m plain-hdd.json --timeline ./t
check plain-hdd.json replay t -m two-level -m plain-hdd.json --timeline ./plain-hdd.json
for out in --json --csv; do
    check t advise t -m plain-hdd.json $out ./t
    check plain-hdd.json advise t -m plain-hdd.json $out ./plain-hdd.json
    check curve.json sweep curve.json -o new.sqlite $out ./curve.json
    check one.sqlite sweep export one.sqlite $out ./one.sqlite
    check one.sqlite sweep show one.sqlite $out ./one.sqlite
    check one.sqlite sweep best one.sqlite $out ./one.sqlite
    check plain-hdd.json calibrate plain-hdd.json --measured kraus-cppeater.json $out ./plain-hdd.json
    check kraus-cppeater.json validate -m plain-hdd.json --measured kraus-cppeater.json $out ./kraus-cppeater.json
    check plain-hdd.json validate -m plain-hdd.json --measured kraus-cppeater.json $out ./plain-hdd.json
    check t compress t $out ./t
    for verb in info check map events; do check t trace $verb t $out ./t; done
    for verb in convert 'cut --to 100' 'merge t'; do check t trace $verb t -o new $out ./t; done
done
check curve.json sweep curve.json -o ./curve.json
check two.sqlite sweep merge one.sqlite two.sqlite -o ./two.sqlite
check plain-hdd.json calibrate plain-hdd.json --measured kraus-cppeater.json -o ./plain-hdd.json
check kraus-cppeater.json calibrate plain-hdd.json --measured table.csv --measured kraus-cppeater.json -o ./kraus-cppeater.json
check table.csv plot table.csv -o ./table.csv
check result.json plot table.csv result.json -o ./result.json
check result.json report table.csv result.json -o ./result.json
check chart.js report table.csv --library chart.js -o ./chart.js
check scenario.json trace convert scenario.json -o ./scenario.json
check scenario.json trace cut scenario.json --to 100 -o ./scenario.json
check scenario.json trace merge t scenario.json -o ./scenario.json
PAGELAB_MODELS=$PWD; export PAGELAB_MODELS
check plain-hdd.json calibrate plain-hdd --measured kraus-cppeater.json -o ./plain-hdd.json
check plain-hdd.json replay t -m plain-hdd --json ./plain-hdd.json
unset PAGELAB_MODELS

echo '-- two names of one new file'
ln -s ../later folder/later
ln -s loop loop
for second in ./later folder/../later folder/later "$PWD/later" other loop nowhere/later; do
    pagelab trace info t -q --json later --csv "$second" >said 2>&1; status=$?
    sed "s|$PWD|HERE|g; s/^/$status: /" said
    rm -f later other
done
rm loop
pagelab sweep curve.json -q -o q.sqlite --csv ./q.sqlite; echo "$?"

echo '-- places that take no file'
for line in 'model table.csv --m 8MB --r 2 --cd 2ms --ch 10ms -q --json' 'model table.csv --m 8MB --r 2 --cd 2ms --ch 10ms -q --plot' \
    'fit table.csv -q --csv' 'curve t -q --json' 'replay t -m plain-hdd.json -q --json' 'replay t -m plain-hdd.json -q --timeline' \
    "sweep $srcdir/models/studies/curve.json -q -o" 'sweep merge one.sqlite -o' 'plot table.csv -o' 'report table.csv -o' 'trace convert t -o' \
    'trace gen loop -o' 'trace cut t --to 100 -o' 'trace merge t t -o' 'compress t -q --json'; do
    pagelab $line nowhere/x.svg; echo "${line##*/} -> $?"
done
ls
