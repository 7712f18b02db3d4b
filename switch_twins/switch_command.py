"""A program of a factory switch, as its script calls it: hands its arguments to the lab's process, prints the answer.

Executed as a file of its own, without this package: ``switch_command.py SOCKET NAME ARGUMENT...``.
"""

import json
import socket
import sys


def main() -> int:
    """Ask, print, and end with the code that the switch's program would end with."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        connection.sendall(json.dumps({"program": sys.argv[2], "arguments": sys.argv[3:]}).encode() + b"\n")
        answer = json.loads(connection.makefile("rb").readline())
    (sys.stderr if answer["code"] else sys.stdout).write(answer["output"])
    return int(answer["code"])


if __name__ == "__main__":
    sys.exit(main())
