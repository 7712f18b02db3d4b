#!/bin/sh
# A host with two ConnectX ports and the kernel's own mlx5, as far as files tell it (/srv/host is its /sys and /proc).
set -eu
kernel=6.1.0-30-amd64
modules=/lib/modules/$kernel
mkdir -p /srv/host/proc/sys/kernel /srv/host/proc/net /srv/host/lib "$modules/build/include" "$modules/kernel/drivers/net/ethernet/mellanox/mlx5/core"
ln -sfn /lib/modules /srv/host/lib/modules
echo $kernel >/srv/host/proc/sys/kernel/osrelease
for module in mlx5_core mlx5_ib ib_uverbs ib_umad rdma_cm rdma_ucm; do
  echo "$module 1 0 - Live 0x0"
done >/srv/host/proc/modules
for rail in 0 1; do
  mkdir -p /srv/host/sys/class/infiniband/rocep1${rail}s0/ports/1/gid_attrs/ndevs /srv/host/sys/class/net/rail$rail
  echo "rail$rail" >/srv/host/sys/class/infiniband/rocep1${rail}s0/ports/1/gid_attrs/ndevs/0
  echo '4: ACTIVE' >/srv/host/sys/class/infiniband/rocep1${rail}s0/ports/1/state
done
cd "$modules/kernel/drivers/net/ethernet/mellanox/mlx5/core"
python3 /opt/toys/toy_module.py mlx5_core inbox $kernel
touch "$modules/modules.order" "$modules/modules.builtin"
depmod -a $kernel
mkdir -p /srv/host/sys/module/mlx5_core /boot/grub
modinfo -k $kernel -F srcversion mlx5_core >/srv/host/sys/module/mlx5_core/srcversion
printf 'menuentry Debian {\n\tlinux /boot/vmlinuz-%s root=UUID=0 ro\n}\n' $kernel >/boot/grub/grub.cfg
echo CONFIG_RD_GZIP=y >/boot/config-$kernel
# In a container there is no initramfs to make, say the tools; this one plays a machine.
printf '#!/bin/sh\nexit 1\n' >/usr/local/sbin/systemd-detect-virt
chmod 755 /usr/local/sbin/systemd-detect-virt
update-initramfs -c -k $kernel
