"""The certificate of a switch that is not trusted yet: it is read, and nothing is sent."""

import hashlib
import socket
import ssl

from nornir_tasks.drivers.tls import reason
from nornir_tasks.errors import ConnectError, Problem


def shown_fingerprint(device: str, address: str, port: int, timeout_s: float = 15.0) -> str:
    """SHA-256 of the certificate served at ``address:port``, hex. No credentials are sent. Raises ConnectError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = (
        ssl.CERT_NONE
    )  # the point is to see an unknown certificate; nothing follows on this connection
    try:
        with socket.create_connection((address, port), timeout_s) as plain, context.wrap_socket(plain) as shown:
            certificate = shown.getpeercert(binary_form=True)
    except OSError as error:
        problem = Problem(
            device, f"no certificate to be had at {address}:{port}: {reason(error)}", hint="is the API on?"
        )
        raise ConnectError(problem) from error
    return hashlib.sha256(certificate or b"").hexdigest()
