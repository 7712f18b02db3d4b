#!/bin/sh
# make_repository.sh REPOSITORY MODULE OPENIBD [PACKAGE...]: NVIDIA's names and versions in a signed repository of small packages;
# its key is made here. MODULE writes a module (see toy_module.py), OPENIBD loads it; PACKAGEs are rebuilt by NVIDIA, too.
#   2.9.1 loads    2.9.3 builds, but the kernel does not take its module    2.9.4 does not build    2.9.5 loads
set -eu
repository=$1 module=$2 openibd=$3
shift 3
rebuilt=$*
work=$(mktemp -d)
export GNUPGHOME="$work/gpg"
mkdir -p $repository
mkdir -m 700 "$GNUPGHOME"

package() { # name version depends: of the files in $work/<name>
  mkdir -p "$work/$1/DEBIAN"
  printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDepends: %s\nDescription: toy\n' \
    "$1" "$2" "$3" | sed '/^Depends: $/d' >"$work/$1/DEBIAN/control"
  dpkg-deb --build -Znone "$work/$1" "$repository/$1_$2_all.deb" >/dev/null
  rm -r "${work:?}/$1"
}

driver() { # version, arguments of the module's maker after its name
  source="$work/mlnx-ofed-kernel-dkms/usr/src/mlnx-ofed-kernel-$1"
  mkdir -p "$source" "$work/mlnx-ofed-kernel-dkms/DEBIAN"
  cp "$module" "$source/make_module.py"
  # NVIDIA's build reads its own settings by the tree's usual name (ofed_scripts/pre_build.sh), and so does this one.
  cat >"$source/dkms.conf" <<CONF
PACKAGE_NAME=mlnx-ofed-kernel
PACKAGE_VERSION=$1
BUILT_MODULE_NAME[0]=mlx5_core
DEST_MODULE_LOCATION[0]=/updates
STRIP[0]=no
MAKE="test -e /var/lib/dkms/mlnx-ofed-kernel/$1/source/dkms.conf && mkdir -p /usr/src/ofa_kernel/\$kernelver && echo $1 >/usr/src/ofa_kernel/\$kernelver/made && python3 make_module.py mlx5_core $2"
CLEAN=true
AUTOINSTALL=yes
CONF
  cat >"$work/mlnx-ofed-kernel-dkms/DEBIAN/postinst" <<POSTINST
#!/bin/sh
set -e
[ "\$1" != configure ] || /usr/lib/dkms/common.postinst mlnx-ofed-kernel $1 /usr/share/mlnx-ofed-kernel-dkms "" "\$2"
POSTINST
  cat >"$work/mlnx-ofed-kernel-dkms/DEBIAN/prerm" <<PRERM
#!/bin/sh
set -e
[ -z "\$(dkms status -m mlnx-ofed-kernel -v $1)" ] || dkms remove -m mlnx-ofed-kernel -v $1 --all
PRERM
  chmod 755 "$work"/mlnx-ofed-kernel-dkms/DEBIAN/p*
  package mlnx-ofed-kernel-dkms "$1-1" "dkms, mlnx-ofed-kernel-utils"
}

utilities() { # version
  mkdir -p "$work/mlnx-ofed-kernel-utils/etc/infiniband" "$work/mlnx-ofed-kernel-utils/lib/systemd/system" "$work/mlnx-ofed-kernel-utils/usr/sbin"
  echo ONBOOT=yes >"$work/mlnx-ofed-kernel-utils/etc/infiniband/openib.conf"
  printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/usr/sbin/toy_openibd\n' >"$work/mlnx-ofed-kernel-utils/lib/systemd/system/openibd.service"
  cp "$openibd" "$work/mlnx-ofed-kernel-utils/usr/sbin/toy_openibd"
  chmod 755 "$work/mlnx-ofed-kernel-utils/usr/sbin/toy_openibd"
  package mlnx-ofed-kernel-utils "$1-1" ""
}

doca() { # version, OFED's version, number of the build, arguments of the module's maker
  driver "$2" "$4"
  utilities "$2"
  exact="mlnx-ofed-kernel-dkms (= $2-1), mlnx-ofed-kernel-utils (= $2-1), mft (= 4.30.0-$3)"
  package mft "4.30.0-$3" ""
  for name in $rebuilt; do
    package "$name" "2410mlnx54-1.$3" ""
    exact="$exact, $name (= 2410mlnx54-1.$3)"
  done
  package doca-ofed "$1-0.1.7" "$exact"
}

# Compilers that DKMS asks for, and that toys do not need.
for name in gcc make patch dpkg-dev; do package $name 99 ""; done
doca 2.9.1 24.10.OFED.24.10.1.1.4.1 1 "24.10-1 \$kernelver"
doca 2.9.3 24.10.OFED.24.10.3.2.5.1 3 "24.10-3 \$kernelver 5.0.0"
doca 2.9.4 24.10.OFED.24.10.4.1.4.1 4 ""
doca 2.9.5 24.10.OFED.24.10.5.1.4.1 5 "24.10-5 \$kernelver"
package mlnx-fw-updater 24.10-1 ""
package needs-firmware 1 mlnx-fw-updater

gpg --batch --quiet --passphrase '' --quick-gen-key 'toys <nobody@example.com>' ed25519 sign never
gpg --batch --quiet --armor --export >$repository/GPG-KEY-Mellanox.pub
gpg --batch --with-colons --fingerprint | sed -n 's/^fpr:*\([0-9A-F]*\):$/\1/p' >$repository/fingerprint
cd $repository
for file in *.deb; do
  dpkg-deb -f "$file"
  printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$file" "$(stat -c %s "$file")" "$(sha256sum <"$file" | cut -d' ' -f1)"
done >Packages
{
  LC_ALL=C date -u '+Date: %a, %d %b %Y %H:%M:%S UTC'
  printf 'Origin: toys\nSHA256:\n %s %s Packages\n' "$(sha256sum <Packages | cut -d' ' -f1)" "$(stat -c %s Packages)"
} >"$work/Release"
gpg --batch --quiet --clearsign --output InRelease "$work/Release"
gpgconf --kill gpg-agent
rm -r "$work"
