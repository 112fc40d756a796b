# Parameters of a scenario beside those of the machine.
cat >study.json <<STUDY
{ "format": "pagelab-study", "title": "CppEater",
  "base": { "replay": "$srcdir/models/scenarios/cppeater.json", "machine": "win10-1607-i7-4770k" },
  "parameters": { "scenario.size": ["1MiB", "2MiB"], "cost.decompress": ["4us", "8us"] },
  "outputs": ["faults_store", "time_decompress_s"] }
STUDY
pagelab sweep study.json -o r.sqlite -q
pagelab sweep export r.sqlite --csv - | sed '/^#/d'
sed 's/scenario.size/scenario.sise/' study.json >wrong.json
pagelab sweep wrong.json -o w.sqlite -q
pagelab sweep export w.sqlite --csv - | sed '/^#/d' | cut -d, -f 1-3,7- | sed "s|$srcdir/||"
