# A part of a stress of two processes: 39 threads on a spin lock, one thread, 12 threads on a queued lock; longer batches.
show() {
    echo "$@"
    pagelab replay "$srcdir/models/scenarios/zeroing-stress.json" --param rounds=3000 --param rest=3s --machine "$@" --json - |
        grep -oE '"(zero[a-z_]*|zeroed_ahead)": *[0-9.e-]+'
}
show win10-server-96
show win7-server-96
show win11-server-128
show win10-server-96 --set zero.take=half
show win10-server-96 --set zero_lock.kind=sleep --set zero_lock.hand_over=5us
