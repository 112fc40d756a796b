# What is refused, and how it is said.
: >empty
try() {
    pagelab compress "$@"
    echo "exit $?" >&2
}
try
try --pid 1 empty
try empty
try missing
try . 
try empty --codecs xpres
try empty --codecs zstd:99
try empty --codecs zstd:fast
try empty --codecs constant
try empty --codecs constant:0.5
try empty --codecs lz4,lz4
try empty --codecs lz4,,lzo
try empty --stores windos
try empty --page-size 3000B
try empty --chain 3
try empty --all-mappings
try --sample 3 - <empty
try --pid 999999999
