# Pages that were allocated and never touched are no footprint, whoever counts.
cat >s.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "a tenth",
  "processes": [ { "name": "p", "steps": [
    { "allocate": "a", "size": "100p" }, { "touch": "a", "part": 0.1, "mode": "write" },
    { "allocate": "b", "size": "1000p" }, { "touch": "a", "part": 0.1, "mode": "read" } ] } ] }
END
counted() { grep -E "distinct pages|never touched"; }
pagelab trace info s.json | counted
pagelab curve s.json | counted
pagelab curve s.json --policy fifo --sizes 4p | counted
pagelab curve s.json --rate 0.99 | counted
pagelab curve s.json --windows 5 --sizes 4p | counted
pagelab curve s.json --by process --sizes 4p | counted
