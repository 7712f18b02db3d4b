"""The disk images of lab machines: Debian 12, each made once, kept under the hash of its recipe.

A recipe is data: the files of its folder, and the commands below. mmdebstrap makes the root file system as a folder,
mke2fs copies it into a partition (no loop device). The image of hosts boots by itself: its own kernel, started by QEMU,
installs GRUB, so that a machine reboots with the command line that its roles set. That of the machine which a routed
lab runs in is started by QEMU each time.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.cache import cache_directory
from nornir_tasks.lab.lock import locked
from nornir_tasks.lab.machines.accelerator import Accelerator, choose
from nornir_tasks.lab.machines.commands import run

RECIPE = Path(__file__).parent / "image"
FABRIC_RECIPE = Path(__file__).parent / "fabric_image"
SUITE = "bookworm"
DISK_MIB = 4096
PARTITION_OFFSET = 1024 * 1024
"""Bytes before the one partition, for GRUB's core image."""
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
BUILD_TIMEOUT_S = 900.0
FIRST_BOOT_TIMEOUT_S = 300.0
LAYOUT = "1"
"""To be increased whenever this module handles the recipe differently."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one image is made.

    folders  what the hash is of; the first has the packages and ``customise.sh``
    grub     does the image boot by itself?
    """

    about: str
    folders: tuple[Path, ...]
    grub: bool

    @property
    def hash(self) -> str:
        """Sixteen hex digits from every file of the recipe: name and content."""
        digest = hashlib.sha256(f"{LAYOUT} {SUITE} {DISK_MIB} {LEFT_OUT}".encode())
        for folder in self.folders:
            for file in sorted(each for each in folder.rglob("*") if each.is_file()):
                digest.update(f"\0{file.relative_to(folder)}\0".encode())
                digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def packages(self) -> list[str]:
        """The Debian packages to begin with; those to build with go again."""
        lists = (self.folders[0] / name for name in ("packages.txt", "build_packages.txt"))
        lines = [line for file in lists if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True, slots=True)
class Image:
    """An image on this machine, and how guests run here."""

    folder: Path
    accelerator: Accelerator

    @property
    def disk(self) -> Path:
        return self.folder / "base.qcow2"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd.img"


def host_recipe() -> Recipe:
    """Of a machine that is a host."""
    return Recipe("of hosts", (RECIPE,), grub=True)


def fabric_recipe() -> Recipe:
    """Of the machine that a routed lab runs in. It takes its name and keys as a host does, by the same files."""
    return Recipe("of the routed lab's machine", (FABRIC_RECIPE, RECIPE / "root"), grub=False)


def is_made(recipe: Recipe) -> bool:
    """Is its image here?"""
    return (cache_directory() / "images" / recipe.hash).exists()


def ensure_image(recipe: Recipe, say: Say) -> Image:
    """The image of a recipe (made if it is missing) and how guests run here."""
    wanted = made_once(recipe, lambda work: _fill(recipe, work, say), "some 2 to 4 minutes", say)
    return Image(wanted, choose(wanted / "vmlinuz", cache_directory()))


def made_once(recipe: Recipe, fill: Callable[[Path], Path], takes: str, say: Say) -> Path:
    """The folder of a recipe's image. If it is missing, ``fill`` makes it in an empty folder and says where there.

    Commands wait for one another; what a killed one left is removed.
    """
    images = cache_directory() / "images"
    images.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = images / recipe.hash
    if not wanted.exists():
        with locked(images / f"{recipe.hash}.lock", "another command makes the image already", say):
            if not wanted.exists():
                _make(recipe, wanted, fill, takes, say)
    return wanted


def _make(recipe: Recipe, wanted: Path, fill: Callable[[Path], Path], takes: str, say: Say) -> None:
    started = time.monotonic()
    # We have the lock, so the process that made these was killed.
    for left in wanted.parent.glob(f"{wanted.name}.building-*"):
        shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f"{wanted.name}.building-", dir=wanted.parent))
    work.chmod(0o755)  # apt's own user needs access to the folders below
    try:
        say(f"image {wanted.name} ({recipe.about}): Debian 12 is put together, once; {takes}")
        fill(work).rename(wanted)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say(f"image {wanted.name}: made in {time.monotonic() - started:.0f} s")


def _fill(recipe: Recipe, work: Path, say: Say) -> Path:
    root, done = work / "root", work / "image"
    root_file_system(recipe, root)
    done.mkdir(mode=0o755)
    for found, name in ((root / "boot", "vmlinuz"), (root / "boot", "initrd.img")):
        shutil.copyfile(next(found.glob(f"{name}-*")), done / name)
    accelerator = choose(done / "vmlinuz", cache_directory())
    say(f"image {recipe.hash}: its root file system is made; now its disk")
    disk = _disk(root, work / "disk.raw")
    shutil.rmtree(root)
    if recipe.grub:
        say(f"image {recipe.hash}: first boot, which installs GRUB ({accelerator.name.upper()})")
        _install_grub(done, disk, accelerator)
    run(["qemu-img", "convert", "-O", "qcow2", str(disk), str(done / "base.qcow2")], 300)
    return done


def root_file_system(recipe: Recipe, root: Path) -> None:
    """Debian's packages of a recipe in a new folder, and what its ``customise.sh`` does there."""
    argv = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={','.join(recipe.packages())}"]
    argv += [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
    # The hook's words are passed in the environment: our paths need no quoting there.
    hook = 'sh "$GPUFABRIC_RECIPE/customise.sh" "$1" "$GPUFABRIC_RECIPE" "$GPUFABRIC_HOST_RECIPE" "$GPUFABRIC_PYTHON"'
    argv += [f"--customize-hook={hook}", SUITE, str(root)]
    mirror = os.environ.get("GPUFABRIC_DEBIAN_MIRROR")
    words = {"RECIPE": str(recipe.folders[0]), "HOST_RECIPE": str(RECIPE), "PYTHON": sys.executable}
    environment = {**{f"GPUFABRIC_{name}": word for name, word in words.items()}, "LC_ALL": "C.UTF-8"}
    run([*argv, *([mirror] if mirror else [])], BUILD_TIMEOUT_S, environment=environment)


def _disk(root: Path, disk: Path) -> Path:
    with disk.open("wb") as file:
        file.truncate(DISK_MIB * 1024 * 1024)
    run(["sfdisk", "-q", str(disk)], 60, stdin=f"label: dos\n{PARTITION_OFFSET // 512},,L,*\n")
    size = DISK_MIB * 1024 - PARTITION_OFFSET // 1024
    argv = ["mke2fs", "-q", "-F", "-t", "ext4", "-d", str(root), "-E", f"offset={PARTITION_OFFSET}", str(disk)]
    run([*argv, f"{size}k"], 300)
    return disk


def _install_grub(image: Path, disk: Path, accelerator: Accelerator) -> None:
    """grub-install and update-grub need the machine's view of the disk: they run in it, as its first process."""
    serial = disk.parent / "first-boot.log"
    argv = ["qemu-system-x86_64", *accelerator.arguments, "-nodefaults", "-display", "none", "-m", "1024"]
    argv += ["-no-reboot", "-serial", f"file:{serial}"]
    argv += ["-drive", f"file={disk},format=raw,if=virtio,cache=unsafe"]
    argv += ["-kernel", str(image / "vmlinuz"), "-initrd", str(image / "initrd.img")]
    argv += ["-append", "root=/dev/vda1 ro console=ttyS0 quiet init=/usr/local/sbin/gpufabric-first-boot"]
    run(argv, FIRST_BOOT_TIMEOUT_S)
    output = serial.read_text(encoding="utf-8", errors="replace")
    if "GRUB IS INSTALLED" not in output:
        tail = " | ".join(output.strip().splitlines()[-6:])
        raise LabError(Problem("lab image", "its first boot did not install GRUB", found=tail))
