# A timeline is JSON that viewers read; the table over time has a row for each interval.
pagelab replay "$srcdir/traces/example.trace" --machine plain-hdd --set memory.total=60p --set memory.kernel=0 \
    --set working_set.trim_below=4p --set working_set.trim_until=8p --set working_set.manager_period=10ms \
    --set writer.available_below=16p --timeline t.json --interval 100ms --check --json result.json --quiet
python3 - <<'END' 2>/dev/null || echo "python3 is not there" >/dev/null
import json
events = json.load(open("t.json"))["traceEvents"]
assert {e["ph"] for e in events} >= {"X", "C"}
result = json.load(open("result.json"))
assert len(result["tables"]["over_time"]["rows"]) > 2
times = sum(v for k, v in result["results"].items() if k.startswith("time_"))
assert abs(times - result["results"]["elapsed_s"]) < 1e-9, times
assert result["results"]["checks"] > 100
open("ok", "w").write("fine\n")
END
cat ok 2>/dev/null || { command -v python3 >/dev/null || echo fine; }
