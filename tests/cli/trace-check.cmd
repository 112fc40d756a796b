# Exit status 1 for what is wrong, with what and where.
printf '1000 R\n123456789012345678901 R\n2000 W\n' >t.memsim
pagelab trace check t.memsim
