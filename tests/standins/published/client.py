"""client.py AUTHORITY SOURCE ADDRESS PORT plain|tls|tls1.1|greeting|tls-greeting [SECONDS]: what a client gets.

`nothing` where it gets no answer. With SECONDS it asks all the time and then says for how long it got no
answer at most, and how many it got.
"""

import socket
import ssl
import sys
import time

authority, source, address, port, how = sys.argv[1:6]


def answer() -> str:
    connection = socket.create_connection((address, int(port)), 1, (source, 0))
    if how.startswith("tls"):
        context = ssl.create_default_context(cafile=authority)
        if how == "tls1.1":
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.set_ciphers("ALL:@SECLEVEL=0")
        connection = context.wrap_socket(connection, server_hostname="mail" if port == "465" else "portal")
    if not how.endswith("greeting"):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n")
    text = b""
    while more := connection.recv(4096):
        text += more
    connection.close()
    return text.decode().strip().rpartition("\n")[2]


def answer_or_nothing() -> str:
    try:
        return answer() or "nothing"
    except OSError as error:
        print("nothing:", error, file=sys.stderr)
        return "nothing"


if len(sys.argv) == 6:
    print(answer_or_nothing())
else:
    last, longest, count = time.monotonic(), 0.0, 0
    end = last + float(sys.argv[6])
    print("ready", flush=True)
    while (now := time.monotonic()) < end:
        if answer_or_nothing() != "nothing":
            longest, last, count = max(longest, now - last), now, count + 1
        time.sleep(0.02)
    print(max(longest, end - last), count)
