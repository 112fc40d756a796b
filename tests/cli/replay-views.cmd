# What tools would show: four kinds of memory side by side; a compressed store; one table as CSV; a phase that is not there.
black="$srcdir/models/scenarios/black-holes.json"
pagelab replay "$black" --machine win10-1607-i7-4770k --param size=8MiB --views-at 'looked at' | sed -n '/^Task Manager/,/^Parameters/p'
pagelab replay "$srcdir/models/scenarios/cppeater.json" --machine win10-1607-i7-4770k --param size=16MiB --views \
    --csv-table views_memory --csv - | grep -v '^#'
pagelab replay "$srcdir/models/scenarios/cppeater.json" --machine win10-1607-i7-4770k --param size=16MiB --views \
    --csv-table views_types --csv - | grep -v '^#' | grep '^trim'
pagelab replay "$black" --machine win10-1607-i7-4770k --param size=1MiB --views-at 'looked up' 2>&1
