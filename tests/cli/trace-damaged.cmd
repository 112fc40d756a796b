# A block with a flipped bit and a file that is cut off: named, and left out on request.
pagelab trace gen zipf --count 300k --pages 5k --plain -o t.plt -q
{ head -c 700000 t.plt; printf 'X'; tail -c +700002 t.plt; } >bad.plt
pagelab trace convert bad.plt -o x.plt; echo "status $?"
pagelab trace convert bad.plt --skip-damaged -o - --plain | pagelab trace info - --json - | jq -c .results.accesses
pagelab trace check bad.plt -q; echo "status $?"
head -c 900000 t.plt >cut.plt
pagelab trace convert cut.plt -o x.plt; echo "status $?"
pagelab trace convert cut.plt --skip-damaged -o - | pagelab trace info - --json - | jq -c .results.accesses
head -c 20 t.plt | pagelab trace info -; echo "status $?"
cat t.plt | pagelab trace check - -q && echo whole
ls x.plt 2>/dev/null || echo "nothing was left behind"
