#!/usr/bin/env bash
# build.sh ARCHIVE SUITE: make the root file system of a container that plays a small Debian host, as root, from Debian's packages.
set -euo pipefail
archive=$1
recipe=$(cd "$(dirname "$0")" && pwd)
suite=$2

words() { sed -e "/# not in $suite/d" -e 's/#.*//' -e '/^[[:space:]]*$/d' "$recipe/$1" | paste -sd "$2" -; }

# Runs outside the new root, which is $1 then; the apt in it still reaches the mirror.
cat >"$archive.hook" <<HOOK
set -e
mkdir -p "\$1/opt/packages/partial"
chroot "\$1" apt-get install -y -qq --download-only --no-install-recommends -o Dir::Cache::archives=/opt/packages $(words offline.txt ' ')
chroot "\$1" apt-get install -y -qq --download-only --no-install-recommends -o Dir::Cache::archives=/opt/packages systemd-timesyncd # not beside chrony
chroot "\$1" sh -c 'cd /opt/packages && rm -rf partial lock && apt-ftparchive packages . >Packages'
echo 'deb [trusted=yes] file:/opt/packages ./' >"\$1/etc/apt/sources.list"
rm -rf "\$1"/etc/apt/sources.list.d/* "\$1"/var/lib/apt/lists/*
chroot "\$1" apt-get update -qq
install -D -m 0755 "$recipe/start_host.sh" "\$1/usr/local/sbin/start_host"
for unit in systemd-udevd.service systemd-udevd-kernel.socket systemd-udevd-control.socket; do
  install -D -m 0644 "$recipe/udevd.conf" "\$1/etc/systemd/system/\$unit.d/container.conf"
done
install -D -m 0644 "$recipe/trigger.conf" "\$1/etc/systemd/system/systemd-udev-trigger.service.d/container.conf"
chroot "\$1" systemctl disable -q $(words disabled.txt ' ')
# Each watches a folder by an inotify instance, of which a machine has 128 for all its containers; nobody asks for a password here.
chroot "\$1" systemctl mask -q systemd-ask-password-console.path systemd-ask-password-wall.path
HOOK
mmdebstrap --quiet --format=tar --variant=minbase --include="$(words installed.txt ,),apt-utils" --skip=cleanup/apt/lists \
  --customize-hook="sh '$archive.hook' \"\$1\"" "$suite" "$archive.part" </dev/null
mv "$archive.part" "$archive"
rm "$archive.hook"
