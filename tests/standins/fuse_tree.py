"""A small file system of attributes over /dev/fuse, standard library only: what sysfs and configfs are to a program.

A plain folder cannot stand in for the kernel: what is written there is what is read, a bad value is no error, and every
folder can be made. Protocol: Linux include/uapi/linux/fuse.h, 7.31. Reads and writes are direct, nothing is cached.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HEADER = struct.Struct("<IIQQIIIHH")
LOOKUP, FORGET, GETATTR, SETATTR, READLINK, MKDIR, RMDIR, OPEN, READ, WRITE = 1, 2, 3, 4, 5, 9, 11, 14, 15, 16
STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR = 17, 18, 20, 25, 26, 27, 28, 29
ACCESS, INTERRUPT, DESTROY, BATCH_FORGET = 34, 36, 38, 42
DIRECT_IO = 1
MAX_WRITE = 65536
ROOT = 1


@dataclass
class File:
    """An attribute. ``read`` gives its text; ``write`` takes what was written or raises OSError; None is read-only."""

    read: Callable[[], str]
    write: Callable[[str], None] | None = None


@dataclass
class Link:
    """A symbolic link."""

    target: str


@dataclass
class Folder:
    """``children`` is asked at each look. ``make`` and ``remove`` are mkdir and rmdir in it, if it has them."""

    children: Callable[[], dict[str, Node]]
    make: Callable[[str], None] | None = None
    remove: Callable[[str], None] | None = None


Node = File | Link | Folder


def folder_of(children: dict[str, Node]) -> Folder:
    """A folder that is always the same."""
    return Folder(lambda: children)


@dataclass
class FuseTree:
    """Serves ``root`` at a mount point until it is unmounted."""

    root: Folder
    _paths: dict[int, tuple[str, ...]] = field(default_factory=lambda: {ROOT: ()})
    _ids: dict[tuple[str, ...], int] = field(default_factory=lambda: {(): ROOT})

    def serve(self, mount_point: Path, ready: Callable[[], None]) -> None:
        """Mount and answer. Needs root and /dev/fuse; raises OSError without. Returns when it is unmounted."""
        descriptor = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={descriptor},rootmode=40755,user_id=0,group_id=0,allow_other"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"standin", os.fsencode(mount_point), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(mount_point))
        ready()
        while True:
            try:
                request = os.read(descriptor, MAX_WRITE + 4096)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT):
                    continue
                return  # ENODEV: unmounted
            self._answer(descriptor, request)

    def _answer(self, descriptor: int, request: bytes) -> None:
        _, code, unique, node_id, *_ = HEADER.unpack_from(request)
        body = request[HEADER.size :]
        if code in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        failed, reply = 0, b""
        try:
            reply = self._handle(code, node_id, body)
        except OSError as error:
            failed = -(error.errno or errno.EIO)
        except FileNotFoundError:
            failed = -errno.ENOENT
        os.write(descriptor, struct.pack("<IiQ", 16 + len(reply), failed, unique) + reply)

    def _handle(self, code: int, node_id: int, body: bytes) -> bytes:
        if code == INIT:
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 8, 6, MAX_WRITE, 1, 16, 0, 0)
        if code in (RELEASE, RELEASEDIR, FLUSH, FSYNC, ACCESS, DESTROY):
            return b""
        if code == STATFS:
            return struct.pack("<5QIII6I4x", 0, 0, 0, 0, 0, 4096, 255, 4096, *([0] * 6))[:80]
        handlers = {
            LOOKUP: self._lookup,
            GETATTR: self._getattr,
            SETATTR: self._getattr,  # truncation on open: sysfs takes no notice of it
            READLINK: self._readlink,
            MKDIR: self._mkdir,
            RMDIR: self._rmdir,
            OPEN: self._open,
            OPENDIR: self._opendir,
            READ: self._read,
            WRITE: self._write,
            READDIR: self._readdir,
        }
        if code not in handlers:
            raise OSError(errno.EACCES, "not in this kernel")
        return handlers[code](self._paths[node_id], body)

    def _find(self, path: tuple[str, ...]) -> Node:
        node: Node = self.root
        for name in path:
            children = node.children() if isinstance(node, Folder) else {}
            if name not in children:
                raise OSError(errno.ENOENT, name)
            node = children[name]
        return node

    def _id(self, path: tuple[str, ...]) -> int:
        if path not in self._ids:
            self._ids[path] = len(self._ids) + 1
            self._paths[self._ids[path]] = path
        return self._ids[path]

    def _attributes(self, path: tuple[str, ...]) -> bytes:
        node = self._find(path)
        if isinstance(node, Folder):
            mode, size = stat.S_IFDIR | 0o755, 0
        elif isinstance(node, Link):
            mode, size = stat.S_IFLNK | 0o777, len(node.target)
        else:
            mode, size = stat.S_IFREG | (0o644 if node.write else 0o444), 4096
        return struct.pack("<6Q10I", self._id(path), size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def _entry(self, path: tuple[str, ...]) -> bytes:
        return struct.pack("<4QII", self._id(path), 0, 0, 0, 0, 0) + self._attributes(path)

    def _lookup(self, path: tuple[str, ...], body: bytes) -> bytes:
        return self._entry((*path, _name(body)))

    def _getattr(self, path: tuple[str, ...], body: bytes) -> bytes:
        return struct.pack("<QII", 0, 0, 0) + self._attributes(path)

    def _readlink(self, path: tuple[str, ...], body: bytes) -> bytes:
        node = self._find(path)
        if not isinstance(node, Link):
            raise OSError(errno.EINVAL, "no link")
        return node.target.encode()

    def _mkdir(self, path: tuple[str, ...], body: bytes) -> bytes:
        node, name = self._find(path), _name(body[8:])
        if not isinstance(node, Folder) or not node.make:
            raise OSError(errno.EPERM, "no folders here")
        node.make(name)
        return self._entry((*path, name))

    def _rmdir(self, path: tuple[str, ...], body: bytes) -> bytes:
        node = self._find(path)
        if not isinstance(node, Folder) or not node.remove:
            raise OSError(errno.EPERM, "not ours")
        node.remove(_name(body))
        return b""

    def _open(self, path: tuple[str, ...], body: bytes) -> bytes:
        """A read-only attribute cannot be opened for writing, not even by root (kernfs does the same)."""
        node = self._find(path)
        writing = struct.unpack_from("<I", body)[0] & os.O_ACCMODE != os.O_RDONLY
        if isinstance(node, File) and writing and not node.write:
            raise OSError(errno.EACCES, "read-only")
        return struct.pack("<QII", 0, DIRECT_IO, 0)

    def _opendir(self, path: tuple[str, ...], body: bytes) -> bytes:
        return struct.pack("<QII", 0, 0, 0)

    def _read(self, path: tuple[str, ...], body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        node = self._find(path)
        if not isinstance(node, File):
            raise OSError(errno.EISDIR, "a folder")
        return node.read().encode()[offset : offset + size]

    def _write(self, path: tuple[str, ...], body: bytes) -> bytes:
        size = struct.unpack_from("<QQI", body)[2]
        node = self._find(path)
        if not isinstance(node, File) or not node.write:
            raise OSError(errno.EACCES, "read-only")
        node.write(body[40 : 40 + size].decode(errors="replace"))
        return struct.pack("<II", size, 0)

    def _readdir(self, path: tuple[str, ...], body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        node = self._find(path)
        names = sorted(node.children()) if isinstance(node, Folder) else []
        reply = b""
        for index, name in list(enumerate(names, start=1))[offset:]:
            encoded = name.encode()
            entry = struct.pack("<QQII", self._id((*path, name)), index, len(encoded), 0) + encoded
            entry += b"\0" * (-len(entry) % 8)
            if len(reply) + len(entry) > size:
                break
            reply += entry
        return reply


def _name(body: bytes) -> str:
    return body.split(b"\0", 1)[0].decode()
