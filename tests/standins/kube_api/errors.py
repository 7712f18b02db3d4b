"""What the API refuses, as the Status object that clients read."""

from __future__ import annotations

from typing import Any

CODES = {
    "BadRequest": 400,
    "Unauthorized": 401,
    "NotFound": 404,
    "MethodNotAllowed": 405,
    "AlreadyExists": 409,
    "Conflict": 409,
    "UnsupportedMediaType": 415,
    "Invalid": 422,
    "TooManyRequests": 429,
    "": 500,
}


class ApiError(Exception):
    """A request that is refused."""

    def __init__(self, reason: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.reason, self.message, self.details = reason, message, details

    @property
    def code(self) -> int:
        return CODES[self.reason]

    def status(self) -> dict[str, Any]:
        """As it goes over the wire."""
        made = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message}
        made |= {"reason": self.reason} if self.reason else {}
        return {**made, **({"details": self.details} if self.details else {}), "code": self.code}
