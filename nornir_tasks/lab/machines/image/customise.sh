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
  serial-getty@ttyS0.service getty@tty1.service modprobe@dm_mod.service modprobe@drm.service \
  modprobe@efi_pstore.service modprobe@fuse.service modprobe@loop.service sys-fs-fuse-connections.mount \
  systemd-pstore.service systemd-update-utmp.service systemd-update-utmp-runlevel.service
# Debian starts it once it is installed.
chroot "$root" systemctl -q disable lldpd.service

# systemd-networkd gives up on a bond after 25 s. Beside other work, an emulated machine may take longer to find and load
# the module of its kind then.
printf '%s\n' bonding 8021q >"$root/etc/modules-load.d/lab.conf"

# Each `systemctl daemon-reload` starts all generators, and so do `systemctl enable` and a boot: three processor seconds
# where there is no KVM. A machine has nothing for these; those of fstab, netplan and init scripts stay.
mkdir -p "$root/etc/systemd/system-generators"
for name in cryptsetup debug getty gpt-auto hibernate-resume integritysetup rc-local run system-update veritysetup; do
  ln -s /dev/null "$root/etc/systemd/system-generators/systemd-$name-generator"
done

# `update-grub` looks for Xen, other systems and firmware, and for a picture behind its menu: most of its ten processor
# seconds.
(cd "$root/etc/grub.d" && chmod a-x 05_debian_theme 20_linux_xen 30_os-prober 30_uefi-firmware 40_custom 41_custom)
