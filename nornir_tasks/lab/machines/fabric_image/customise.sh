#!/bin/sh
# customise.sh ROOT RECIPE HOST_RECIPE PYTHON: what a package list cannot say. mmdebstrap runs it outside the new root file system.
set -eu
root=$1
recipe=$2
host_recipe=$3
python=$4

# Its name and keys come to it as to a host's machine.
for file in etc/initramfs-tools/modules etc/initramfs-tools/conf.d/lab etc/ssh/sshd_config.d/lab.conf usr/local/sbin/gpufabric-identity; do
  install -D -m 0644 "$host_recipe/root/$file" "$root/$file"
done
cp -r "$recipe/root/." "$root/"
chmod 0755 "$root/usr/local/sbin/gpufabric-identity" "$root/usr/local/sbin/gpufabric-init"
echo fabric >"$root/etc/hostname"
rm -f "$root"/etc/ssh/ssh_host_*

# For the machine's Python, whichever one runs this command.
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --only-binary=:all: \
  --python-version 3.11 --implementation cp --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 \
  --platform manylinux2014_x86_64 --target "$root/usr/local/lib/python3.11/dist-packages" -r "$recipe/python_packages.txt"
chroot "$root" python3 -m compileall -q /usr/local/lib/python3.11/dist-packages

chroot "$root" update-initramfs -u -k "$(basename "$root"/lib/modules/*)"
