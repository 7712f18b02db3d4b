"""Pages outside, at ports 80 and 443: each answer says who asked, as seen there."""

import socket
import threading


def serve(port: int) -> None:
    """Answer one after the other."""
    with socket.create_server(("198.51.100.7", port), backlog=50) as server:
        while True:
            connection, (client, _) = server.accept()
            with connection:
                asked = connection.recv(4096).decode("latin-1")
                told = [
                    line for line in asked.splitlines() if line.lower().startswith(("x-forwarded-for", "forwarded"))
                ]
                body = f"{client} {' '.join(told)}".strip()
                connection.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())


for number in (80, 443):
    threading.Thread(target=serve, args=(number,)).start()
