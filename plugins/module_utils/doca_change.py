"""The exchange of a host's RDMA driver stack, which can be taken back whole.

Saved first: packages (their .deb files), the DKMS tree, modules and initramfs. Built next, from the unpacked packages,
in a DKMS tree that only the build sees. Only then are packages exchanged. Nothing restarts a driver here.

Runs on hosts: standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.doca_apt import PrivateApt
    from ansible_collections.gpufabric.host.plugins.module_utils.doca_host import MAIN, builds
    from ansible_collections.gpufabric.host.plugins.module_utils.doca_set import HOME
    from ansible_collections.gpufabric.host.plugins.module_utils.doca_set import SET as SET_FILE
except ImportError:  # in a test
    from doca_apt import PrivateApt
    from doca_host import MAIN, builds
    from doca_set import HOME
    from doca_set import SET as SET_FILE

CHANGE, PACKAGES, SET = Path("/", HOME, "change"), Path("/", HOME, "packages"), Path("/", SET_FILE)
RECORD, SAVED, BEFORE, NEW, TREE = (CHANGE / name for name in ("record.json", "saved.tar", "before", "new", "build"))
POLICY = Path("/usr/sbin/policy-rc.d")
NO_SERVICE = "#!/bin/sh\n# gpufabric: while packages are exchanged, their scripts restart no driver.\nexit 101\n"
PATHS = (
    *("var/lib/dkms", "usr/src/ofa_kernel", "usr/src/ofa_kernel-dkms", "etc/infiniband", "var/lib/apt/extended_states"),
    *("etc/alternatives/ofa_kernel_headers", "var/lib/dpkg/alternatives/ofa_kernel_headers"),
    SET_FILE,
)
OF_A_KERNEL = ("lib/modules/{}/updates", "boot/initrd.img-{}")
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C",
    "DEBIAN_FRONTEND": "noninteractive",
}
BUILD = """
set -eu
tree=$1 script=$2
mkdir -p /usr/src /var/lib/dkms /etc/alternatives /var/lib/dpkg/alternatives
for entry in /usr/src/*; do
  name=${entry##*/}
  [ -d "$entry" ] && [ ! -e "$tree/src/$name" ] && [ "$name" != ofa_kernel ] || continue
  mkdir "$tree/src/$name"
  mount --bind "$entry" "$tree/src/$name"
done
mount --rbind "$tree/src" /usr/src
mount --bind "$tree/dkms" /var/lib/dkms
mount --bind "$tree/alternatives" /etc/alternatives
mount --bind "$tree/dpkg-alternatives" /var/lib/dpkg/alternatives
exec sh -eu "$script"
"""
"""The build sees a DKMS tree, sources and alternatives of its own, by the names of the host's.

NVIDIA's scripts read /var/lib/dkms by that name (ofed_scripts/pre_build.sh) and write headers below /usr/src/ofa_kernel
(dkms_ofed_post_build.sh; github knneth/mlnx-ofa_kernel 2f5a30d, 2850235): `dkms --dkmstree` would fail.
"""


class ChangeError(Exception):
    """What went wrong, in words for the operator."""


def run(*argv: str, stdin: str | None = None, check: bool = True, **environment: str) -> str:
    """Run a program; its output, errors included. ChangeError with the end of it if it fails and should not."""
    done = subprocess.run(  # noqa: S603
        argv,
        input=stdin,
        env={**ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if check and done.returncode:
        raise ChangeError(f"{' '.join(argv).splitlines()[0][:120]} failed ({done.returncode}): {_end(done.stdout)}")
    return done.stdout


def _end(text: str, lines: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


def table() -> dict[str, list[str]]:
    """Package -> [version, what dpkg should do with it (i, h), state]; removed ones with leftover settings included."""
    rows = run("dpkg-query", "-W", "-f", "${binary:Package} ${Version} ${db:Status-Abbrev}\\n").splitlines()
    return {words[0]: [words[1], words[2][0], words[2][1]] for words in map(str.split, rows) if len(words) == 3}


def record() -> dict[str, Any]:
    """The change that is under way: phase and what was before. Empty if there is none."""
    return json.loads(RECORD.read_text()) if RECORD.is_file() else {}


def _write(path: Path, data: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data, indent=1, sort_keys=True))
    part.replace(path)


def save(apt: PrivateApt, install: Mapping[str, str], remove: Sequence[str], kernels: Sequence[str]) -> None:
    """Fetch the new packages and those that they replace; keep what a failure has to bring back."""
    for folder in (BEFORE, NEW):
        folder.mkdir(parents=True, exist_ok=True)
    now = table()
    names = {name.partition(":")[0]: name for name in now}
    replaced = [names[name] for name in (*install, *remove) if name in names and now[names[name]][2] == "i"]
    kept = {(deb_field(path, "Package"), deb_field(path, "Version")): path for path in PACKAGES.glob("*.deb")}
    wanted = []
    for name in replaced:
        path = kept.get((name.partition(":")[0], now[name][0]))
        if path:
            shutil.copy(path, BEFORE)
        else:
            wanted.append(f"{name}={now[name][0]}")
    _download(apt, wanted, BEFORE)
    _download(apt, [f"{name}={version}" for name, version in install.items()], NEW)
    kernel_paths = [pattern.format(kernel) for kernel in kernels for pattern in OF_A_KERNEL]
    indexes = [
        str(path).lstrip("/") for kernel in kernels for path in sorted(Path("/lib/modules", kernel).glob("modules.*"))
    ]
    paths = [*PATHS, *kernel_paths, *indexes]
    with tarfile.open(SAVED, "w") as archive:
        for path in paths:
            if Path("/", path).exists() or Path("/", path).is_symlink():
                archive.add(f"/{path}", arcname=path)
    _write(
        RECORD, {"phase": "saved", "packages": now, "paths": paths, "kernels": list(kernels), "install": dict(install)}
    )


def deb_field(path: Path, name: str) -> str:
    """A field of a package file."""
    return run("dpkg-deb", "-f", str(path), name).strip()


def _download(apt: PrivateApt, packages: Sequence[str], folder: Path) -> None:
    if packages:
        done = apt.run("download", *packages, folder=folder)
        if done.returncode:
            raise ChangeError(f"apt-get download {' '.join(packages)} failed: {_end(done.stdout)}")


def phase(name: str) -> None:
    """Note how far the change is: what a run that was killed leaves is known by it."""
    _write(RECORD, {**record(), "phase": name})


def install_tools(apt: PrivateApt, names: Sequence[str]) -> None:
    """DKMS, compiler and headers, before anything is built; they replace nothing."""
    if names:
        phase("switching")  # packages change from here on
        _apt_install(apt, [str(path) for path in NEW.glob("*.deb") if deb_field(path, "Package") in names])


def build(kernels: Sequence[str], also: Sequence[str]) -> list[str]:
    """Build each DKMS source of the new packages, and what else holds ib_core, for each kernel; `name/version` of each.

    ChangeError with the end of the compiler's log if one does not build. Nothing outside the change's folder changes.
    """
    shutil.rmtree(TREE, ignore_errors=True)
    for name in ("src/ofa_kernel", "dkms"):
        (TREE / name).mkdir(parents=True)
    for target, source in (("alternatives", "/etc/alternatives"), ("dpkg-alternatives", "/var/lib/dpkg/alternatives")):
        shutil.copytree(source, TREE / target, symlinks=True)
    for key in Path("/var/lib/dkms").glob("mok.*"):
        shutil.copy2(key, TREE / "dkms")
    sources = sources_of(NEW, TREE / "src")
    script = TREE / "build.sh"
    lines = []
    for each in (*sources, *also):
        name, _, version = each.partition("/")
        lines.append(f"dkms add -m {name} -v {version}")
        lines += [f"dkms build -m {name} -v {version} -k {kernel}" for kernel in kernels]
    script.write_text("\n".join(lines) + "\n")
    try:
        run("unshare", "--mount", "--propagation", "private", "sh", "-c", BUILD, "sh", str(TREE), str(script))
    except ChangeError as error:
        logs = sorted((TREE / "dkms").glob("*/*/build/make.log"))
        log = f"{logs[0].name}: {_end(logs[0].read_text(errors='replace'))}" if logs else ""
        raise ChangeError(f"dkms build: {error}\n{log}") from error
    return sources


def sources_of(packages: Path, target: Path) -> list[str]:
    """Unpack the DKMS packages in a folder; `name/version` of each source, the stack's own first.

    Links among them (ofa_kernel-<version>) come along.
    """
    found = []
    for package in sorted(packages.glob("*-dkms_*.deb")):
        scratch = target.parent / "unpacked"
        run("dpkg-deb", "-x", str(package), str(scratch))
        for folder in sorted((scratch / "usr/src").glob("*")):
            folder.rename(target / folder.name)
            settings = target / folder.name / "dkms.conf"
            if not (target / folder.name).is_symlink() and settings.is_file():
                fields = dict(
                    line.split("=", 1) for line in settings.read_text().splitlines() if line.startswith("PACKAGE_")
                )
                found.append("/".join(fields[f"PACKAGE_{part}"].strip(" \"'") for part in ("NAME", "VERSION")))
        shutil.rmtree(scratch)
    return sorted(found, key=lambda each: not each.startswith(f"{MAIN}/"))


def install(
    apt: PrivateApt, kernels: Sequence[str], sources: Sequence[str], also: Sequence[str], set_of: Mapping[str, Any]
) -> None:
    """Exchange the packages; ChangeError unless every source is then built and installed for every kernel."""
    phase("switching")
    _apt_install(apt, [str(path) for path in sorted(NEW.glob("*.deb"))])
    for each in (*sources, *also):
        for kernel in kernels:
            forced = ["--force"] if each in also else []
            if forced or not _installed(each, kernel):
                name, _, version = each.partition("/")
                if forced:
                    run("dkms", "build", "--force", "-m", name, "-v", version, "-k", kernel)
                run("dkms", "install", "--force", "-m", name, "-v", version, "-k", kernel)
            if not _installed(each, kernel):
                raise ChangeError(
                    f"dkms says that {each} is installed for {kernel}, but its modules are not those in /lib/modules"
                )
    for kernel in kernels:
        renew_initramfs(kernel)
    _write(SET, set_of)
    run("dpkg", "--set-selections", stdin="".join(f"{name} hold\n" for name in set_of["packages"]))
    phase("switched")


def _installed(source: str, kernel: str) -> bool:
    for each in builds(Path("/")):
        if f"{each['name']}/{each['version']}" == source:
            made = each["kernels"].get(kernel)  # type: ignore[attr-defined]
            return bool(made) and all(made.values())
    return False


def _apt_install(apt: PrivateApt, files: Sequence[str]) -> None:
    words = (
        "install",
        "-y",
        "--no-install-recommends",
        "--allow-downgrades",
        "--ignore-hold",
        "--allow-change-held-packages",
    )
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text(NO_SERVICE)
        POLICY.chmod(0o755)
    try:
        done = apt.run(*words, *files)
    finally:
        if ours:
            POLICY.unlink()
    if done.returncode:
        raise ChangeError(f"apt-get install failed: {_end(done.stdout)}")


def renew_initramfs(kernel: str) -> None:
    """Make the initramfs of a kernel again; it must not load the kernel's own mlx5_core at boot."""
    image = Path(f"/boot/initrd.img-{kernel}")
    if not image.exists():
        return
    run("update-initramfs", "-u", "-k", kernel)
    drivers = [line for line in run("lsinitramfs", str(image)).splitlines() if "/mlx5_core.ko" in line]
    if any("/updates/" not in line for line in drivers):
        raise ChangeError(f"{image} still has the kernel's own mlx5_core: {', '.join(drivers)}")


def back() -> list[str]:
    """Undo the change that is under way: packages, DKMS tree, modules, initramfs. Names of the packages that went back.

    ChangeError if the packages are not those of before.
    """
    was = record()
    if not was:
        return []
    if POLICY.is_file() and POLICY.read_text() == NO_SERVICE:
        POLICY.unlink()
    before: dict[str, list[str]] = was["packages"]
    changed = _packages_back(before)
    with tarfile.open(SAVED) as archive:
        for path in was["paths"]:
            put_back(archive, path, Path("/"))
    _forget()
    return changed


def put_back(archive: tarfile.TarFile, path: str, root: Path) -> None:
    """Bring a file or folder below ``root`` back as the archive has it, or take it away if the archive has none.

    Unpacked beside it first: on a full disk, or killed on the way, the host still has an initramfs to boot.
    """
    target = root / path
    fresh, old = (target.with_name(f"{target.name}.gpufabric-{which}") for which in ("before", "after"))
    _remove(fresh)
    _remove(old)
    options: dict[str, Any] = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
    beside = f"{path}.gpufabric-before"

    def is_in_it(name: str) -> bool:
        return name == path or name.startswith(f"{path}/")

    for member in archive.getmembers():
        if is_in_it(member.name):
            there = copy(member)
            there.name = beside + member.name[len(path) :]
            if member.islnk() and is_in_it(member.linkname):
                there.linkname = beside + member.linkname[len(path) :]
            archive.extract(there, root, numeric_owner=True, **options)  # our own archive
    if target.is_symlink() or target.exists():
        target.rename(old)
    if fresh.is_symlink() or fresh.exists():
        fresh.rename(target)
    _remove(old)


def _packages_back(before: Mapping[str, Sequence[str]]) -> list[str]:
    now = table()
    # Maintainer scripts would build and write what is brought back from the archive right after.
    quiet = CHANGE / "quiet"
    quiet.mkdir(exist_ok=True)
    for name in ("dkms", "update-initramfs"):
        (quiet / name).write_text("#!/bin/sh\nexit 0\n")
        (quiet / name).chmod(0o755)
    path = f"{quiet}:{ENVIRONMENT['PATH']}"
    new = [name for name in now if name not in before]
    changed = [name for name, row in before.items() if row[2] == "i" and not _as_it_was(now.get(name), row)]
    if new:
        run("dpkg", "--force-all", "--purge", *new, PATH=path)
    replaced = sorted(map(str, BEFORE.glob("*.deb")))
    if changed and replaced:
        run("dpkg", "--force-all", "--install", *replaced, PATH=path)
    run("dpkg", "--configure", "-a", PATH=path)
    words = {"h": "hold", "i": "install"}
    run(
        "dpkg",
        "--set-selections",
        stdin="".join(f"{name} {words[row[1]]}\n" for name, row in before.items() if row[1] in words),
    )
    after = table()
    wrong = [
        name for name in {*before, *after} if (before.get(name) or ["", "", ""]) != (after.get(name) or ["", "", ""])
    ]
    wrong = [name for name in wrong if "i" in (before.get(name, ["", "", ""])[2], after.get(name, ["", "", ""])[2])]
    if wrong:
        raise ChangeError(f"packages are not as before: {', '.join(sorted(wrong))}; {CHANGE} has what was there before")
    return sorted({*new, *changed})


def _as_it_was(row: Sequence[str] | None, before: Sequence[str]) -> bool:
    """Is a package there in its version? One that waits for a trigger is: dpkg --configure runs it."""
    return row is not None and row[0] == before[0] and row[2] in ("i", "t", "W")


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def build_for(kernel: str) -> None:
    """Build and install all DKMS sources for a kernel that came since, and make its initramfs again."""
    run("dkms", "autoinstall", "-k", kernel)
    renew_initramfs(kernel)


def keep() -> bool:
    """The change is good: forget what was before, keep the new packages for the next way back."""
    if record().get("phase") != "switched":
        return False
    if NEW.is_dir():  # else a run was killed right here
        shutil.rmtree(PACKAGES, ignore_errors=True)
        NEW.rename(PACKAGES)
    _forget()
    return True


def _forget() -> None:
    """The record goes first: without it nothing is under way, whatever else a run that is killed here leaves."""
    RECORD.unlink()
    shutil.rmtree(CHANGE)
