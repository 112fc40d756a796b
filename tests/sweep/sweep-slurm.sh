#!/bin/sh
# A Slurm array of three tasks on this machine, with models/studies/sweep.sbatch as it stands there: merged, it is what one
# process makes of the study. Starts munge and Slurm of its own in a temporary folder; skipped where that cannot be. Prints
# TAP.
. "${srcdir:-$(dirname "$0")/../..}/tests/sweep/common.sh"

for tool in slurmctld slurmd sbatch squeue munged mungekey; do
    command -v $tool >/dev/null || PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null ||
        { echo "1..0 # skip $tool is not installed (slurm-wlm)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "1..0 # skip Slurm's daemons of one's own need root"; exit 0; }
PATH=$PATH:/usr/sbin:/sbin
daemons=
end() {
    for daemon in $daemons; do kill "$daemon" 2>/dev/null; done
    sleep 1
    for daemon in $daemons; do kill -9 "$daemon" 2>/dev/null; done
    rm -rf "$work"
}
trap end EXIT
chmod 755 "$work"
mkdir munge state spool && chmod 711 munge || exit 99
host=$(hostname -s) port=$((20000 + $$ % 20000))
mungekey --create --keyfile "$work/munge/key" >/dev/null 2>&1 && chmod 600 munge/key
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >munge.out 2>&1 &
daemons=$!
memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/d.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP OverSubscribe=FORCE:4
CONF
# Nothing is limited here, but slurmd wants to know which kind of control groups there are.
if [ -d /sys/fs/cgroup/freezer ]; then
    echo "CgroupPlugin=cgroup/v1" >cgroup.conf
else
    printf 'CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n' >cgroup.conf
fi
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
unset SLURM_JOB_ID SLURM_ARRAY_TASK_ID
slurmctld -D -f "$SLURM_CONF" >ctld.out 2>&1 &
daemons="$daemons $!"
slurmd -D -f "$SLURM_CONF" -N "$host" >d.out 2>&1 &
daemons="$daemons $!"
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q -E '^(idle|mixed)'; do
    tries=$((tries + 1))
    if [ $tries -gt 20 ]; then
        echo "1..0 # skip Slurm does not start here ($(tail -qn 1 munge/log ctld.log d.log 2>/dev/null | tr '\n' ';' | tr '#' ' ' | cut -c 1-160))"
        exit 0
    fi
    sleep 1
done

make_study 2k || { echo "Bail out! no study"; exit 99; }
echo "1..4"
PAGELAB=$BUILD/pagelab
export PAGELAB
holds "the array is submitted" sbatch --array=1-3 --cpus-per-task=1 --chdir="$work" -o "$work/slurm-%a.out" "$srcdir/models/studies/sweep.sbatch" \
    "$work/study.json" "$work/part"
tries=0
while [ -n "$(squeue -h 2>/dev/null)" ] && [ $tries -lt 60 ]; do
    tries=$((tries + 1))
    sleep 1
done
cat slurm-*.out 2>/dev/null | sed 's/^/#   /'
holds "its parts are merged" pagelab sweep merge part-1.sqlite part-2.sqlite part-3.sqlite -o array.sqlite
holds "one process runs the study" pagelab sweep study.json -o alone.sqlite -q
export_csv array.sqlite array.csv
export_csv alone.sqlite alone.csv
holds "with the same bytes" cmp alone.csv array.csv
