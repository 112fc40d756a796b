# A process that exits with pages everywhere leaves nothing; what is allocated beyond the commit limit is refused and counted.
command -v python3 >/dev/null || { echo "python3 is not there"; exit 77; }
cat >exit.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "an exit", "about": "Pages in the working set, on lists, in the store, in the page file, in a section, in a file and large ones.",
  "processes": [
    { "name": "leaver", "steps": [
        { "allocate": "large", "size": "8p", "kind": "large" }, { "allocate": "section", "size": "8p", "kind": "section" },
        { "allocate": "file", "size": "8p", "kind": "file" }, { "allocate": "heap", "size": "150p" },
        { "touch": "large", "mode": "write" }, { "touch": "section", "mode": "write" }, { "touch": "file", "mode": "write" },
        { "repeat": 2, "do": [ { "touch": "heap", "mode": "write" } ] }, { "touch": "section", "mode": "write" },
        { "phase": "full" }, { "exit": "self" } ] },
    { "name": "stayer", "steps": [ { "allocate": "heap", "size": "5p" }, { "touch": "heap", "mode": "write" },
        { "phase": "full" }, { "sleep": "1s" }, { "phase": "after" }, { "touch": "heap", "mode": "write" } ] } ] }
END
pagelab replay exit.json --machine win10-1607-i7-4770k --set memory.kernel=0 --set memory.total=90p --set store.max_pages=20p \
    --set working_set.trim_below=4p --set working_set.trim_until=8p --set writer.available_below=8p --set page_file.size=300p \
    --check --quiet --interval 200ms --json result.json
echo "status $?"
grep -E '^    "(touches|faults_hard|store_puts|store_written|store_pages|disk_writes)":' result.json
python3 - <<'END'
import json
table = json.load(open("result.json"))["tables"]["over_time"]
names = [column["name"] for column in table["columns"]]
for row in (table["rows"][0], table["rows"][-1]):
    print({name: row[names.index(name)] for name in names if name in ("store_pages", "page_file_pages", "commit_pages", "active")})
END
cat >limit.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "the commit limit", "about": "The second is too much until the first is given back.",
  "processes": [ { "name": "eater", "steps": [
        { "allocate": "first", "size": "60p" }, { "touch": "first", "mode": "write" }, { "allocate": "second", "size": "60p" },
        { "free": "first" }, { "allocate": "third", "size": "60p" }, { "touch": "third", "mode": "write" } ] } ] }
END
for limit in 200p 100p 50p; do
    echo "== limit $limit"
    pagelab replay limit.json --machine plain-hdd --set memory.kernel=0 --set memory.commit_limit=$limit --check --quiet --json - |
        grep -E '^    "(touches|faults_demand_zero|commit_failures)":'
done
