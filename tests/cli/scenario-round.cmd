# Values know the round of the repeat that they stand in, the innermost one; outside it is 0.
cat >rounds.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "rounds", "about": "each round touches another page",
  "parameters": { "rounds": 3 },
  "processes": [ { "name": "p", "steps": [
    { "allocate": "m", "size": "16p" },
    { "touch": "m", "from": "1p * round", "size": "1p" },
    { "repeat": "$rounds", "do": [
      { "touch": "m", "from": "1p * (round + 1)", "size": "1p" },
      { "repeat": 2, "do": [ { "touch": "m", "from": "8p + 1p * round", "size": "1p" } ] } ] } ] } ] }
END
pagelab trace convert rounds.json --to numbers -o - | tr '\n' ' '
echo
