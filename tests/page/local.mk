# The page of `pagelab report` in a browser.
TESTS += tests/page/page.sh
EXTRA_DIST += tests/page/page.sh tests/page/page.py
