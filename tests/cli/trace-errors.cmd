# Each says what is wrong, where, and what would be right.
show() { pagelab trace "$@"; echo "status $?"; }
: >empty; printf '\177ELF\002\001' >program; printf '10\n1f\n' >mixed; printf '12\n' >t
printf '1000 R\nfedcba98765432100123 W\n' >t.memsim
exec 2>&1
show info empty
show info program
show info program --format memsim
show info mixed --format numbers
show info t.memsim
show info t --format lackeys
show info t --page-size 5000B
show info t --page-size 4096
show info nowhere
show info .
show info
show inf t
show
