"""KVM or TCG: determined by starting a guest, not by looking at /dev/kvm.

A KVM device that opens may still run no guest (nested virtualisation is the usual reason). So the image's own kernel is
started without a root file system; a kernel that starts reports this as a panic. The result is kept for this machine,
its kernel and its QEMU.
"""

import hashlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from platform import release

from nornir_tasks.lab.machines.commands import run

PROBE_TIMEOUT_S = 20.0
"""With a working KVM a guest needs two seconds."""
STARTED = b"Unable to mount root fs"
KVM = Path("/dev/kvm")


@dataclass(frozen=True, slots=True)
class Accelerator:
    """How guests run on this machine."""

    name: str
    """``kvm`` or ``tcg``."""
    reason: str

    @property
    def arguments(self) -> tuple[str, ...]:
        """QEMU's arguments for a host; one processor under TCG, where a second one only adds cost."""
        return self.arguments_for(2 if self.name == "kvm" else 1, _SMALL_CACHE_MIB)

    def arguments_for(self, processors: int, cache_mib: int) -> tuple[str, ...]:
        """QEMU's arguments for a machine of so many processors; ``cache_mib``: of translated code, under TCG.

        TCG executes ``rep stosb`` byte by byte, and each byte on a page with translated code takes the slow path. A
        kernel that finds ERMS clears its pages this way, and took ten minutes and more to reboot over the translated
        code of the previous one; without ERMS it writes eight bytes at once.
        """
        if self.name == "kvm":
            return ("-accel", "kvm", "-cpu", "host", "-smp", str(processors))
        tcg = f"tcg,thread=multi,tb-size={cache_mib}"
        return ("-accel", tcg, "-cpu", "max,erms=off,fsrm=off", "-smp", str(processors))


_SMALL_CACHE_MIB = 384
"""All translations go once it is full. site.yml has a machine translate three times as much as 128 MiB hold."""


def choose(kernel: Path, cache: Path) -> Accelerator:
    """The faster one that starts this kernel. Tried once per machine, kernel and QEMU; the result is in ``cache``."""
    file = cache / f"accelerator-{_machine()}.json"
    try:
        return Accelerator(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        pass
    found = _try_kvm(kernel)
    cache.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"name": found.name, "reason": found.reason}), encoding="utf-8")
    return found


def _try_kvm(kernel: Path) -> Accelerator:
    if not KVM.exists():
        return Accelerator("tcg", "this machine has no /dev/kvm")
    with tempfile.TemporaryDirectory() as folder:
        serial = Path(folder) / "serial"
        argv = ["qemu-system-x86_64", *Accelerator("kvm", "").arguments, "-nodefaults", "-display", "none"]
        argv += ["-no-reboot", "-m", "512", "-kernel", str(kernel), "-append", "console=ttyS0 panic=-1"]
        argv += ["-serial", f"file:{serial}"]
        try:
            done = subprocess.run(argv, capture_output=True, timeout=PROBE_TIMEOUT_S, check=False)  # noqa: S603
            output = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            output = [f"no guest was up within {PROBE_TIMEOUT_S:.0f} s"]
        if serial.exists() and STARTED in serial.read_bytes():
            return Accelerator("kvm", "a guest started")
    return Accelerator("tcg", f"KVM starts no guest here: {''.join(output) or 'it ended early'}")


def _machine() -> str:
    """A digest of the machine, kernel and QEMU for which the result is valid."""
    try:
        identity = Path("/etc/machine-id").read_text(encoding="utf-8")
    except OSError:
        identity = ""
    version = run(["qemu-system-x86_64", "--version"], 20).splitlines()[0]
    return hashlib.sha256(f"{identity}\n{release()}\n{version}\n{KVM.exists()}".encode()).hexdigest()[:12]
