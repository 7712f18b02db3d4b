#!/bin/sh
# First program of a container that plays a host. The kernel is shared with the machine the tests run on, so all of /proc/sys
# and /sys stays read-only but for what belongs to the container's own network namespace.
# NICS: space-separated NAME=MAC; each becomes one end of a cable, the other end is called peer-NAME.
set -e
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
mount -o remount,rw /sys
mount --bind /sys/devices/virtual/net /sys/devices/virtual/net
mount -o remount,bind,ro /sys
for nic in $NICS; do
  ip link add "${nic%%=*}" address "${nic#*=}" mtu 1500 type veth peer name "peer-${nic%%=*}" mtu 9216
  ip link set "peer-${nic%%=*}" up
done
exec /lib/systemd/systemd
