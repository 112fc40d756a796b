# Text to native to text again; the page numbers come back, and so do reads and writes.
printf '41f000 R\n13f5e000 W\n41f000 W\n' >t.memsim
pagelab trace convert t.memsim -o t.trace -q
pagelab trace convert t.trace -o - --to memsim
pagelab trace convert t.trace -o - --to hex
pagelab trace convert t.trace -o - --to csv
pagelab trace convert t.trace -o t.numbers --to numbers -q && cat t.numbers
