"""The CA that a site's switches are known by: read once, before any of them is connected to."""

import ssl
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem


def check_authority(file: Path, where: str) -> None:
    """Raises IntentError, naming ``where`` the path stands, if the file is not there or holds no certificate."""
    try:
        ssl.create_default_context(cafile=str(file))
    except FileNotFoundError:
        what = "the CA's certificate is not there"
    except ssl.SSLError:
        what = "the CA's file holds no certificate that can be read"
    except OSError as error:
        what = f"the CA's certificate cannot be read: {error.strerror}"
    else:
        return
    hint = "correct the path, or export the site's CA certificate once more"
    raise IntentError(Problem(where, what, expected="a PEM file", found=str(file), hint=hint))
