"""``connect.py ADDRESS PORT``, ssh's ProxyCommand with ProxyUseFdpass: a connection from where this runs, handed over.

Run by the standard library alone, in the namespace that the connection should come from. ``connect.py ADDRESS PORT
SOURCE`` comes from that address.
"""

import array
import socket
import sys


def main() -> None:
    """Standard output is a socket of ssh's (ssh_config(5))."""
    address, port, *source = sys.argv[1:]
    try:
        connection = socket.create_connection((address, int(port)), 20, (source[0], 0) if source else None)
    except OSError as error:
        raise SystemExit(f"{address} port {port}: {error}") from None
    connection.settimeout(None)
    with socket.socket(fileno=1) as ssh:
        ssh.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
        ssh.detach()


if __name__ == "__main__":
    main()
