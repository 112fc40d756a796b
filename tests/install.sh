#!/bin/sh
# What is handed on is whole: the tarball has every file that git knows, an installation has the machines, studies, figures
# and headers that the program and those who embed the library need. Prints TAP.
: "${srcdir:=.}" "${BUILD:=.}" "${CC:=gcc}"
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

number=0
result() { # status, name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
none() { # words that should not be there
    [ -z "$1" ] || { echo "$1" | head -n 20 | sed 's/^/# /'; false; }
}

if git -C "$srcdir" rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -e "$srcdir/.git" ]; then
    make -s -C "$BUILD" distdir distdir="$work/dist" >"$work/dist.log" 2>&1 || sed 's/^/# /' "$work/dist.log"
    (cd "$srcdir" && git ls-files) | grep -v '^\.gitignore$' | sort >"$work/known"
    (cd "$work/dist" && find . -type f | sed 's|^\./||' | sort) >"$work/handed"
    none "$(comm -23 "$work/known" "$work/handed")"
    result $? "the tarball has every file"
else
    number=1
    echo "ok 1 - the tarball has every file # SKIP no git checkout here"
fi

make -s -C "$BUILD" install DESTDIR="$work/root" >"$work/install.log" 2>&1
status=$?
[ $status = 0 ] || sed 's/^/# /' "$work/install.log"
result $status "it installs"
share=$(find "$work/root" -type d -path '*/share/pagelab')
missing=$(cd "$srcdir" && for file in $(find models -name '*.json' -o -name '*.csv') plots/*.gp; do
    [ -r "$share/$file" ] || echo "$file"
done)
none "$missing"
result $? "every machine, scenario, study, measurement and figure is installed"

package=$(find "$work/root" -name pagelab.pc)
PKG_CONFIG_PATH=$(dirname "$package")
PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
include=$(find "$work/root" -type d -path '*/include/pagelab')
bad=$(cd "$include" && for header in $(find . -name '*.h'); do
    echo "#include \"$header\"" | $CC -std=gnu11 -Wall -Werror -I"$include" -fsyntax-only -x c - 2>/dev/null || echo "$header"
done)
none "$bad"
result $? "every installed header stands alone"
case $(grep '^PL_CFLAGS' "$BUILD/Makefile") in
*-fsanitize=* | *--coverage*)
    result 0 "a program embeds the library # SKIP not with sanitizers"
    ;;
*)
    # Other libraries' own files are the system's, not below the root.
    flags=$(pkg-config --cflags --libs pagelab | sed "s|$work/root/usr/include|/usr/include|g; s|$work/root/usr/lib|/usr/lib|g")
    # shellcheck disable=SC2086
    $CC -std=gnu11 "$srcdir/tests/support/embed.c" -o "$work/embed" $flags 2>"$work/embed.log" || sed 's/^/# /' "$work/embed.log"
    [ "$("$work/embed" 2>&1)" = "9 9 9 3 " ]
    result $? "a program embeds the library"
    ;;
esac

program=$(find "$work/root" -type f -path '*/bin/pagelab')
PAGELAB_MODELS=$share/models "$program" replay "$srcdir/traces/example.trace" --machine two-level --set memory.resident=64p -q
result $? "the installed program replays on an installed machine"
echo "1..$number"
