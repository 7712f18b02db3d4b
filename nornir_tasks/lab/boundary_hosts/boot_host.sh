#!/bin/sh
# boot_host.sh NAME: the first process of a host, in its own namespaces: makes what systemd expects, and becomes systemd.
# The kernel is shared with the machine that runs the lab: of /proc/sys only what is the network namespace's own may be
# written, /sys not at all, and what would change the machine (its clock, modules, devices) the host may not do.
set -eu
name=$1
mount --make-rprivate /
mount --bind "$(cat image)" lower
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay root
cd root
mount -t proc -o nosuid,nodev,noexec proc proc
mount --bind proc/sys proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,ro proc/sys
mount -o remount,bind,rw proc/sys/net
[ ! -e proc/sysrq-trigger ] || mount --bind /dev/null proc/sysrq-trigger
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 sys/fs/cgroup
mount -t tmpfs -o nosuid,mode=755 tmpfs dev
for each in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${each%:*}" c 1 "${each#*:}"; done
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for each in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${each%:*}" "dev/${each#*:}"; done
touch dev/console
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs dev/shm
mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs run
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs tmp
hostname "$name"
pivot_root . mnt
umount -l mnt
ulimit -H -n 524288 2>/dev/null || true # as many as this machine allows
exec setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-sys_boot,-mknod,-mac_admin,-mac_override,-syslog,-wake_alarm,-block_suspend \
  env -i container=gpufabric PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console
