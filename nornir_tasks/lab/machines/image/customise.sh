#!/bin/sh
# customise.sh ROOT RECIPE: what a package list cannot say. mmdebstrap runs it outside the new root file system.
set -eu
root=$1
recipe=$2

cp -r "$recipe/root/." "$root/"
chmod 0755 "$root/usr/local/sbin/gpufabric-identity" "$root/usr/local/sbin/gpufabric-first-boot"
echo bare >"$root/etc/hostname"
rm -f "$root"/etc/ssh/ssh_host_*

# dcbsim is compiled for the kernel of the image; compiler and headers leave again.
kernel=$(basename "$root"/lib/modules/*)
mkdir -p "$root/usr/src/dcbsim"
cp "$recipe/dcbsim/dcbsim.c" "$recipe/dcbsim/Makefile" "$root/usr/src/dcbsim/"
chroot "$root" make -s -C "/lib/modules/$kernel/build" M=/usr/src/dcbsim modules
install -D -m 0644 "$root/usr/src/dcbsim/dcbsim.ko" "$root/lib/modules/$kernel/updates/dcbsim.ko"
rm -rf "$root/usr/src/dcbsim"
build=$(grep -v '^#' "$recipe/build_packages.txt" | tr '\n' ' ')
# shellcheck disable=SC2086 # a list of packages
chroot "$root" apt-get purge -qq -y --auto-remove $build
chroot "$root" depmod "$kernel"
chroot "$root" update-initramfs -u -k "$kernel"

chroot "$root" systemctl -q enable gpufabric-identity.service systemd-networkd.service ssh.service
# Timers that would wake up in the middle of a measurement, and what only costs time on a machine reached by SSH alone.
chroot "$root" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer systemd-networkd-wait-online.service systemd-binfmt.service \
  serial-getty@ttyS0.service getty@tty1.service
# Debian starts it once it is installed.
chroot "$root" systemctl -q disable lldpd.service
