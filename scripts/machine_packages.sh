#!/usr/bin/env bash
# machine_packages.sh: install what lab machines, routed labs and tests of DHCP, firewalls, Slurm and UCX need on Debian or Ubuntu; as root. Does nothing where all is there.
set -euo pipefail
packages=(qemu-system-x86 qemu-utils mmdebstrap debian-archive-keyring fdisk e2fsprogs openssh-client iproute2
  kea-dhcp4-server dnsmasq-base frr nftables keepalived haproxy conntrack conntrackd slurmctld slurmd slurm-client ucx-utils)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "lab machines, routed labs or tests need ${missing[*]}, which this machine has not: sudo apt-get install -y ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
