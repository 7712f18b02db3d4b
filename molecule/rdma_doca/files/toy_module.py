"""toy_module.py NAME VERSION KERNEL [VERMAGIC]: write NAME.ko, an ELF file with nothing but a module's description.

depmod, modinfo, DKMS and initramfs-tools take it for a module; no kernel would, and none is asked to.
"""

import hashlib
import struct
import sys
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")
HEAD = struct.Struct("<16sHHIQQQIHHHHHH")


def elf(modinfo: bytes) -> bytes:
    """A relocatable file for x86-64 with one section of text, and the empty tables that readers look for."""
    names = b"\0.modinfo\0.symtab\0.strtab\0.shstrtab\0"
    parts = (b"", modinfo, bytes(24), b"\0", names)
    offsets, body = [], b""
    for part in parts:
        offsets.append(HEAD.size + len(body))
        body += part + bytes(-len(part) % 8)
    rows = ((0, 0, 0, 0, 0), (1, 1, 2, 0, 0), (10, 2, 0, 3, 24), (18, 3, 0, 0, 0), (26, 3, 0, 0, 0))
    table = b"".join(
        SECTION.pack(
            name, kind, flags, 0, offset if kind else 0, len(part), link, int(kind == 2), 8 if kind else 0, size
        )
        for (name, kind, flags, link, size), offset, part in zip(rows, offsets, parts, strict=True)
    )
    ident = b"\x7fELF\2\1\1" + bytes(9)
    return (
        HEAD.pack(ident, 1, 62, 1, 0, 0, HEAD.size + len(body), 0, HEAD.size, 0, 0, SECTION.size, 5, 4) + body + table
    )


name, version, kernel, *other = sys.argv[1:]
fields = {
    "version": version,
    "srcversion": hashlib.sha256(version.encode()).hexdigest()[:23].upper(),
    "name": name,
    "vermagic": f"{(other or [kernel])[0]} SMP mod_unload",
}
Path(f"{name}.ko").write_bytes(elf(b"".join(f"{key}={value}\0".encode() for key, value in fields.items())))
