#!/bin/sh
# The page of `pagelab report` in a headless browser (page.py); skipped where there is none. Screenshots stay in
# BUILD/tests/page.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}"
python=
for one in /usr/bin/python3 python3; do
    if "$one" -c 'import selenium' 2>/dev/null; then python=$one; break; fi
done
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -n "$python" ] || skip "python3-selenium is not installed"
[ -x /usr/bin/chromedriver ] || skip "chromium-driver is not installed"
[ -r /usr/share/javascript/chart.js/chart.min.js ] || skip "libjs-chart.js is not installed"
out=$BUILD/tests/page
mkdir -p "$out"
PAGELAB_PAGE=$srcdir/src/report/page
export PAGELAB_PAGE
"$python" "$here/page.py" "$BUILD/pagelab" "$srcdir" "$out"
status=$?
rm -rf "$out"/tmp*
exit $status
