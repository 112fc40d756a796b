# Text names pages that came long ago, too: more touches than one batch holds, in text and in the native form.
pagelab trace gen zipf --pages 8MiB --count 200k --seed 3 -q -o t.trace
pagelab trace gen zipf --pages 8MiB --count 200k --seed 3 -q --to hex -o - >t.hex
pagelab trace convert t.trace -q --to hex -o - | cmp - t.hex && wc -l <t.hex
