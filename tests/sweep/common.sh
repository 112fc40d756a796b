# common.sh: what the tests of sweeps share. Sets up a folder of its own with a trace and a study of 96 replays.
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILD:=$srcdir/build}"
PATH=$BUILD:$PATH
LC_ALL=C
export PATH LC_ALL
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

number=0
check() { # name, status
    number=$((number + 1))
    if [ "$2" = 0 ]; then echo "ok $number - $1"; else echo "not ok $number - $1"; fi
}
skip() { # name, why
    number=$((number + 1))
    echo "ok $number - $1 # skip $2"
}
holds() { # name, command...
    name=$1
    shift
    "$@" >said 2>&1
    status=$?
    check "$name" $status
    [ $status = 0 ] || sed 's/^/#   /' said
}
says() { # name, status, words, command...
    name=$1 wanted=$2 words=$3
    shift 3
    "$@" >said 2>&1
    status=$?
    [ $status = "$wanted" ] && grep -q -e "$words" said
    result=$?
    check "$name" $result
    [ $result = 0 ] || { echo "#   status $status"; sed 's/^/#   /' said; }
}

points=96
make_study() { # touches
    pagelab trace gen zipf --pages 2k -n "$1" --seed 5 -q -o t.trace &&
        cat >study.json <<'STUDY'
{ "format": "pagelab-study", "version": 1, "title": "resume",
  "base": { "replay": "t.trace", "machine": "two-level" },
  "parameters": {
    "memory.resident": { "from": "100p", "to": "800p", "count": 8 },
    "store.max_pages": { "from": "64p", "to": "512p", "count": 6, "scale": "log" },
    "cost.decompress": ["100us", "1ms"]
  },
  "objective": { "minimise": "elapsed_s", "subject_to": "store.max_pages <= 0.5 * memory.resident" }
}
STUDY
}
export_csv() { # database, file
    pagelab sweep export "$1" --csv "$2" -q
}
