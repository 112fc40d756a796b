# Whatever single figure a replay reports can be a sweep's output, under the same name and with the same value.
command -v python3 >/dev/null || { echo "python3 is not there"; exit 77; }
pagelab replay "$srcdir/traces/example.trace" --machine win10-1607-i7-4770k --memory 4MiB --set page_file.size=8MiB --without-store -q --json one.json
python3 - "$srcdir" <<'END'
import json, sys
keys = list(json.load(open("one.json"))["results"])
derived = ["cpu_use_percent", "zero_spin_percent"] # cpu_use and zero_spin_share, as numbers
json.dump({"format": "pagelab-study", "title": "one point",
           "base": {"replay": sys.argv[1] + "/traces/example.trace", "machine": "small.json", "without_store": True},
           "parameters": {"run.seed": [1]}, "outputs": [k for k in keys if k not in derived]}, open("study.json", "w"))
print("derived:", [k for k in derived if k in keys])
END
pagelab replay "$srcdir/traces/example.trace" --machine win10-1607-i7-4770k --memory 4MiB --set page_file.size=8MiB --parameters -q --json machine.json
python3 - <<'END'
import json
table = json.load(open("machine.json"))["tables"]["parameters"]
names = [column["name"] for column in table["columns"]]
machine = {"title": "small"}
for row in table["rows"]:
    *groups, name = row[names.index("parameter")].split(".")
    place = machine
    for group in groups:
        place = place.setdefault(group, {})
    try:
        place[name] = json.loads(row[names.index("value")])
    except ValueError: # a text, or with its unit
        place[name] = row[names.index("value")]
json.dump(machine, open("small.json", "w"))
END
pagelab sweep study.json -o r.sqlite -q && pagelab sweep export r.sqlite --csv out.csv -q
python3 - <<'END'
import csv, json
one = json.load(open("one.json"))["results"]
row = next(csv.DictReader(line for line in open("out.csv") if not line.startswith("#")))
print("error:", row["error"] or "none")
same = [k for k in one if k in row and abs(float(row[k] or "nan") - one[k]) <= 1e-12 * abs(one[k])]
other = [k for k in one if k in row and k not in same]
print(len(same) > 60, other)
END
