# Text as it comes: line ends of three systems, none at the end, marks, capitals, page 0, the end of the address space.
# The right numbers, or what is wrong and where; status 2.
numbers() { # what a trace holds: format, accesses, pages, times that go backward, pages first and last
    pagelab trace info "$@" -q --json - >out.json &&
        sed -n 's/^ *"\(format\|accesses\|pages\|backward_times\|page_first\|page_last\)": *\(.*[^,]\),*$/\1=\2/p' out.json |
        tr '\n' ' ' && echo
}
try() {
    printf '%s: ' "$1"
    numbers "$@" >said 2>&1
    status=$?
    sed 's/tried: .*; --/tried: ...; --/' said # the list grows with every format
    [ $status = 0 ] || echo "    status $status"
}
exec 2>&1
printf '1000 R\r\n2000 W\r\n' >crlf.memsim
printf '1000 R\n2000 W' >no-end.memsim
printf '1000 R\r2000 W\r' >old-mac.memsim
printf '\357\273\2771000 R\n2000 W\n' >mark.memsim
printf '0X1000 r\n0x2000 w\n' >prefix.memsim
printf '\r\n 12\r\n13' >crlf.numbers
printf '00000000000000001000 R\n' >digits-20-zeros.memsim
printf '12345678901234567890 R\n' >digits-20.memsim
printf '123456789012345678901 R\n' >digits-21.memsim
printf '0\n18446744073709551615\n' >last.numbers
printf '0\n18446744073709551616\n' >beyond.numbers
printf '0\nffffffffffffffff\n' >last.hex
printf '10000000000000000\n' >beyond.hex
printf '0 R\nffffffffffffffff W\n' >last.memsim
printf ' S fffffffffffffff8,8\n L ffffffffffffffff,8\n' >wraps.lackey
printf ' L 1000,0\n' >nothing.lackey
printf ' L 1000,18446744073709551615\n' >everything.lackey
printf 'time,page\n5,1\n3,2\n4,3\n' >backward.csv
printf 'page\n0\n0\n' >zero.csv
printf '1000 R\n-5 R\n' >negative.memsim
printf '1\n1.5\n' >fraction.numbers
printf '1000 R\n\0\0\0\n2000 W\n' >nul.memsim
head -c 3000 /dev/zero | tr '\0' '\1' >binary.memsim
printf '\377\3761\0000\0000\0000\0\040\0R\0\n\0' >utf16.memsim
{ echo 1000 R; head -c 200000 /dev/zero | tr '\0' 7; echo ' R'; } >long-line.memsim
: >nothing
printf '\n\n\n' >blank
printf '*\n*\n' >stars
printf 'time,page\n' >header.csv
printf '==1== Lackey\n' >valgrind.lackey
for file in crlf.memsim no-end.memsim old-mac.memsim mark.memsim prefix.memsim crlf.numbers digits-20-zeros.memsim \
    digits-20.memsim digits-21.memsim last.numbers beyond.numbers last.hex beyond.hex last.memsim wraps.lackey \
    nothing.lackey everything.lackey backward.csv zero.csv negative.memsim fraction.numbers nul.memsim binary.memsim \
    utf16.memsim long-line.memsim nothing blank stars header.csv valgrind.lackey; do
    try $file
done
try binary.memsim --format memsim
try - <crlf.memsim
