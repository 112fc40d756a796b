#!/bin/sh
# Dependencies point one way. A folder of src/ may include its own headers and those of the floors below it:
#
#   base <- codec <- trace, store, device <- curve, mm <- model, sim <- study <- report <- cmd
#
# and src/capture only base, and of codec and trace what needs no third-party library. No file below cmd prints, reads argv or ends the program. File names are
# unique in the tree. Prints TAP.
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$srcdir/src" || exit 99

rank() {
    case $1 in
    base) echo 0 ;; codec) echo 1 ;; trace | store | device) echo 2 ;; curve | mm) echo 3 ;;
    model | sim) echo 4 ;; study) echo 5 ;; report) echo 6 ;; cmd) echo 7 ;; capture) echo 2.5 ;;
    *) echo unknown ;;
    esac
}

check_includes() { # prints what is wrong
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' . | sed 's|^\./||' |
        while IFS=: read -r file line text; do
            target=$(printf '%s\n' "$text" | sed 's/^[^"]*"\([^"]*\)".*/\1/')
            case $target in config.h) continue ;; esac
            from=${file%%/*} to=${target%%/*}
            [ -e "$target" ] || { echo "$file:$line: \"$target\" is not named from src/"; continue; }
            [ "$from" = "$to" ] && continue
            low=$(rank "$to") high=$(rank "$from")
            if [ "$low" = unknown ] || [ "$high" = unknown ]; then
                echo "$file:$line: a folder that this test does not know"
            elif ! awk "BEGIN { exit !($low < $high) }"; then
                echo "$file:$line: $from may not include $to"
            fi
        done
}

check_capture() { # pagecap is cross-built for Windows: what it includes needs no third-party library
    allowed='base/|capture/|codec/(xpress|page_hash|page_content)\.h|trace/(batch|densify|native/native|etl/etl|etl/etl_reference)\.h'
    grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' -r --include='*.[ch]' capture | grep -v '"config.h"' |
        grep -vE "\"($allowed)"
    grep -nE '#[[:space:]]*include[[:space:]]*<(cjson|archive|gsl|lz4|zstd|lzo)' -r --include='*.[ch]' capture
}

check_prints() {
    grep -rnwE '(printf|puts|putchar|perror|exit|_exit|abort|getopt|getopt_long)[[:space:]]*\(' --include='*.c' . |
        sed 's|^\./||' | grep -vE '^(cmd|capture)/' | grep -vE ':[[:space:]]*(\*|/\*|//)'
    grep -rnE '(fprintf|fputs|fwrite|fputc)[[:space:]]*\(.*(stderr|stdout)' --include='*.c' . | sed 's|^\./||' |
        grep -vE '^(cmd|capture)/'
}

check_names() {
    find . -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d
}

check_headers() { # every folder has one header named after it: its table of contents
    for folder in */; do
        folder=${folder%/}
        [ -e "$folder/$folder.h" ] || echo "src/$folder has no $folder.h"
    done
}

number=0
verdict() { # name, what is wrong
    number=$((number + 1))
    if [ -z "$2" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        printf '%s\n' "$2" | sed 's/^/#   /'
    fi
}

# The test tests itself: a file that breaks the order must be seen.
self_check() {
    probe=$(mktemp -d) || exit 99
    mkdir "$probe/base" "$probe/cmd" && echo >"$probe/cmd/cmd.h" && echo '#include "cmd/cmd.h"' >"$probe/base/bad.c"
    (cd "$probe" && check_includes) | grep -q 'base may not include cmd' || echo "a wrong include was not seen"
    rm -rf "$probe"
}

echo "1..6"
verdict "the test sees a wrong include" "$(self_check)"
verdict "includes point down" "$(check_includes)"
verdict "capture stands on the core alone" "$(check_capture)"
verdict "only cmd and capture print or exit" "$(check_prints)"
verdict "file names are unique" "$(check_names)"
verdict "every folder has its table of contents" "$(check_headers)"
