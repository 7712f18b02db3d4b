"""toy_driver.py NAME VERSION KERNEL [VERMAGIC]: write NAME.ko, the kernel's own module under another version.

What a compiler would make of NVIDIA's source, as far as the kernel's loader goes: real code, with a description of its
own. With another VERMAGIC the kernel refuses it. Needs neither compiler nor headers.
"""

import hashlib
import struct
import sys
from pathlib import Path

HEAD_TABLE = (0x28, "<Q")
"""Where an ELF64 file says where its table of sections is; below: size of a row, number of rows, row of the names."""
ROWS = (0x3A, "<HHH")
ROW = struct.Struct("<IIQQQQIIQQ")
SIGNATURE = b"~Module signature appended~\n"
SIGNATURE_ROW = struct.Struct(">8xI")
"""struct module_signature (include/linux/module_signature.h): eight bytes, then the length of the signature."""


def unsigned(file: bytes) -> bytes:
    """Without the signature at its end, which would not fit any more; the kernel loads it as an unsigned one."""
    if not file.endswith(SIGNATURE):
        return file
    end = len(file) - len(SIGNATURE) - SIGNATURE_ROW.size
    (length,) = SIGNATURE_ROW.unpack(file[end : end + SIGNATURE_ROW.size])
    return file[: end - length]


def renamed(file: bytes, changed: dict[str, str]) -> bytes:
    """The same module with these fields of its description; the new description stands at the end of the file."""
    (table,) = struct.unpack_from(HEAD_TABLE[1], file, HEAD_TABLE[0])
    size, count, names = struct.unpack_from(ROWS[1], file, ROWS[0])
    rows = [list(ROW.unpack_from(file, table + size * number)) for number in range(count)]
    strings = rows[names][4]
    place = next(number for number, row in enumerate(rows) if file[strings + row[0] :].startswith(b".modinfo\0"))
    old = file[rows[place][4] : rows[place][4] + rows[place][5]]
    fields = [each for each in old.split(b"\0") if each and each.partition(b"=")[0].decode() not in changed]
    new = b"".join(each + b"\0" for each in (*fields, *(f"{key}={value}".encode() for key, value in changed.items())))
    rows[place][4:6] = len(file), len(new)
    whole = bytearray(file + new)
    ROW.pack_into(whole, table + size * place, *rows[place])
    return bytes(whole)


if __name__ == "__main__":
    name, version, kernel, *other = sys.argv[1:]
    (found,) = Path("/lib/modules", kernel, "kernel").rglob(f"{name}.ko")
    description = {"version": version, "srcversion": hashlib.sha256(version.encode()).hexdigest()[:23].upper()}
    if other:
        # Not of SMP: where symbols have versions, a kernel passes over its own number (same_magic in the kernel's
        # kernel/module/version.c).
        description["vermagic"] = f"{other[0]} mod_unload "
    Path(f"{name}.ko").write_bytes(renamed(unsigned(found.read_bytes()), description))
