# A timeline is JSON that viewers read, each line of it without overlaps; the table over time has a row for each interval.
pagelab replay "$srcdir/traces/example.trace" --machine plain-hdd --set memory.total=60p --set memory.kernel=0 \
    --set working_set.trim_below=4p --set working_set.trim_until=8p --set working_set.manager_period=10ms \
    --set writer.available_below=16p --set disk.kind=ssd --timeline t.json --interval 1ms --check --json result.json --quiet
python3 - <<'END' 2>/dev/null || echo "python3 is not there" >/dev/null
import json
events = json.load(open("t.json"))["traceEvents"]
assert {e["ph"] for e in events} >= {"X", "C", "M"}
spans = {}
for e in events:
    assert isinstance(e["name"], str) and isinstance(e["pid"], int) and e["pid"] < 2**31, e
    if e["ph"] == "X":
        assert e["ts"] >= 0 and e["dur"] >= 0, e
        spans.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
    elif e["ph"] == "C":
        assert all(isinstance(v, int) for v in e["args"].values()), e
for line in spans.values(): # what overlaps on a line is not drawn
    line.sort()
    assert all(one[1] <= other[0] + 1e-5 for one, other in zip(line, line[1:])), line[:3]
assert {"the machine", "disk"} <= {e["args"]["name"] for e in events if e["ph"] == "M"}
result = json.load(open("result.json"))
assert len(result["tables"]["over_time"]["rows"]) > 2
times = sum(v for k, v in result["results"].items() if k.startswith("time_"))
assert abs(times - result["results"]["elapsed_s"]) < 1e-9, times
assert result["results"]["checks"] > 100
open("ok", "w").write("fine\n")
END
cat ok 2>/dev/null || { command -v python3 >/dev/null || echo fine; }
