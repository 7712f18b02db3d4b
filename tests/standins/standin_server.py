"""The stand-ins' tools loaded once: a call costs 6 ms of processor, not 33, most of them for Python's imports.

    standin_server.py SOCKET       answers each call in a child of its own, until standard input ends

``standin_host.py make STATE ... --served-by SOCKET`` puts programs into ``STATE/bin`` that ask here; what is run is the
tool of ``bin/`` all the same. ``served`` is for tests: it starts a server that ends with them, and asks it.
"""

from __future__ import annotations

import atexit
import functools
import gc
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import BinaryIO

HERE = Path(__file__).resolve().parent
WAIT_S = 30
CALLER = """\
#!/usr/bin/perl
# {tool}, as the server has it loaded that listens at {socket} (standin_server.py)
use strict;
my ($server, $reply) = (undef, "");
socket($server, 1, 1, 0) && connect($server, pack("S a108", 1, "{socket}")) or die "stand-in: no server: $!\\n";
syswrite($server, pack("N/a*", pack("(N/a*)*", "{tool}", $ENV{{GPUFABRIC_STANDIN}} // "", @ARGV)));
1 while sysread($server, $reply, 65536, length $reply);
my ($code, $errors, $printed) = unpack("N N/a* N/a*", $reply);
defined $printed or die "stand-in: the server has not answered\\n";
print STDERR $errors;
print $printed;
exit $code;
"""
"""Perl, because it is on every Debian and starts in 2 ms; sockets by its built-in functions, as modules take longer."""


def caller(tool: str, listens_at: str) -> str:
    """The program that asks the server for this tool."""
    return CALLER.format(tool=tool, socket=listens_at)


def serve(listens_at: str) -> None:
    """Load all tools, then answer."""
    files = [*(HERE / "bin").iterdir(), HERE / "standin_host.py"]
    programs = {file.name: compile(file.read_text(encoding="utf-8"), str(file), "exec") for file in files}
    sys.path.insert(0, str(HERE))
    for file in sorted(HERE.glob("standin_*.py")):
        __import__(file.stem)
    gc.freeze()  # children share the memory
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{listens_at}.new")
        server.listen(64)
        Path(f"{listens_at}.new").rename(listens_at)  # between bind and listen nobody may connect
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            connection, _ = server.accept()
            with connection, connection.makefile("rwb") as stream:
                if not os.fork():
                    _answer(stream, programs)
                    os._exit(0)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _answer(stream: BinaryIO, programs: dict[str, CodeType]) -> None:
    """In a process of its own: what the tool prints, and its exit code."""
    name, state, *words = map(os.fsdecode, _fields(stream.read(*struct.unpack(">I", stream.read(4)))))
    files = [os.memfd_create(each) for each in ("printed", "errors")]
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
    os.environ["GPUFABRIC_STANDIN"] = state
    sys.argv = [name, *words]
    code = _run(programs[name])
    sys.stdout.flush()
    sys.stderr.flush()
    printed, errors = (os.pread(file, os.fstat(file).st_size, 0) for file in files)
    stream.write(struct.pack(">I", code) + _packed(errors, printed))
    stream.flush()


def _run(program: CodeType) -> int:
    """Its exit code, as Python's own start of a program has it."""
    try:
        exec(program, {"__name__": "__main__", "__file__": program.co_filename})
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return int(end.code or 0)
    except Exception:  # noqa: BLE001 -- whatever a tool fails of, its caller is told
        traceback.print_exc()
        return 1
    return 0


def _packed(*fields: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(each)) + each for each in fields)


def _fields(packed: bytes) -> list[bytes]:
    found = []
    while packed:
        (length,) = struct.unpack_from(">I", packed)
        found.append(packed[4 : 4 + length])
        packed = packed[4 + length :]
    return found


@functools.cache
def served() -> str:
    """Where a server listens that ends when this process does."""
    folder = tempfile.mkdtemp(prefix="standins-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    listens_at = f"{folder}/socket"
    command = [sys.executable, "-S", str(HERE / "standin_server.py"), listens_at]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    until = time.monotonic() + WAIT_S
    while not Path(listens_at).exists():
        if process.poll() is not None or time.monotonic() > until:
            raise OSError(f"stand-in: no server at {listens_at}")
        time.sleep(0.02)
    atexit.register(process.communicate)
    return listens_at


def standin_host(*words: str | Path) -> None:
    """As the command of that name, by the server; the hosts it makes have tools that ask the server."""
    own = ["--served-by", served()] * (words[0] == "make")
    request = _packed(b"standin_host.py", b"", *map(os.fsencode, [*words, *own]))
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(served())
        server.sendall(_packed(request))
        with server.makefile("rb") as reply:
            answer = reply.read()
    code, (errors, printed) = struct.unpack_from(">I", answer)[0], _fields(answer[4:])
    if code:
        raise subprocess.CalledProcessError(code, list(map(str, words)), printed, errors)


if __name__ == "__main__":
    serve(sys.argv[1])
