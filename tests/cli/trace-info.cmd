# What a small lackey trace holds, with valgrind's own lines, a fetch across a page's end, and a modify.
printf '==7== Lackey\nI  04000ffe,3\n L 1ffefffe50,8\n S 1ffefffe48,8\n M 0421a1c8,4\n==7== done\n' >t.lackey
pagelab trace info t.lackey
