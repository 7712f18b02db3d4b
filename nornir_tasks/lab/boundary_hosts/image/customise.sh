#!/bin/sh
# customise.sh ROOT RECIPE: what a package list cannot say. mmdebstrap runs it outside the new root file system.
set -eu
root=$1
recipe=$2

cp -r "$recipe/root/." "$root/"
chmod 0440 "$root/etc/sudoers.d/ansible"
echo bare >"$root/etc/hostname"
rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/machine-id" "$root/etc/resolv.conf"
touch "$root/etc/machine-id"

# The account that Ansible has where root may not come in.
chroot "$root" useradd --create-home --shell /bin/bash --password '*' ansible

chroot "$root" systemctl -q enable systemd-networkd.service ssh.service
# Debian starts them once they are installed; here the roles do.
chroot "$root" systemctl -q disable keepalived.service conntrackd.service haproxy.service unbound.service chrony.service squid.service \
  nftables.service
# What a container has not, and timers that would wake up in the middle of a measurement.
chroot "$root" systemctl -q mask console-getty.service getty@tty1.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
  e2scrub_all.timer e2scrub_reap.service fstrim.timer systemd-networkd-wait-online.service systemd-modules-load.service
