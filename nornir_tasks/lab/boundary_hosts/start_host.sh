#!/bin/sh
# start_host.sh NAME NAMESPACE GROUP BOOT: the host whose folder this is started in, in a network namespace that is there already.
# Its process is the parent of the host's first one, which ends with it. Started in a mount namespace of its own.
# GROUP: of processes (cgroup2), in which the host's own systemd has its groups. BOOT: boot_host.sh.
set -eu
name=$1 namespace=$2 group=$3 boot=$4
mount --make-rprivate /
mount -t cgroup2 none groups
mkdir -p "groups/$group"
echo $$ >"groups/$group/cgroup.procs"
umount groups
exec ip netns exec "$namespace" unshare --uts --ipc --pid --cgroup --mount --fork --kill-child=SIGKILL -- sh -eu "$boot" "$name"
