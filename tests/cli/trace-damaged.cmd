# A block with a flipped bit and a file that is cut off: named, and left out on request.
pagelab trace gen zipf --count 300k --pages 5k --plain -o t.trace -q
{ head -c 700000 t.trace; printf 'X'; tail -c +700002 t.trace; } >bad.trace
pagelab trace convert bad.trace -o x.trace; echo "status $?"
pagelab trace convert bad.trace --skip-damaged -o - --plain | pagelab trace info - --json - | jq -c .results.accesses
pagelab trace check bad.trace -q; echo "status $?"
head -c 900000 t.trace >cut.trace
pagelab trace convert cut.trace -o x.trace; echo "status $?"
pagelab trace convert cut.trace --skip-damaged -o - | pagelab trace info - --json - | jq -c .results.accesses
head -c 20 t.trace | pagelab trace info -; echo "status $?"
cat t.trace | pagelab trace check - -q && echo whole
ls x.trace 2>/dev/null || echo "nothing was left behind"
