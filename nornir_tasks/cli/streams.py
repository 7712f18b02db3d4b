"""Standard output and error that never end a verb half way.

A push whose reader closes the pipe (``| head``), or whose log file is on a full disk, must not die halfway. Output that
cannot be printed is dropped, and the first reason is reported at the end.
"""

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Stream(io.FileIO):
    """A file descriptor that accepts all output, and drops what cannot be printed."""

    error: OSError | None = None
    """Why output could first not be printed."""
    is_used = False
    """Was anything written to it?"""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, or drop it once something could not be written."""
        self.is_used = True
        if self.error is None:
            try:
                return super().write(data)
            except OSError as error:
                self.error = error
        return memoryview(data).nbytes

    @property
    def is_lost(self) -> bool:
        """Is output missing? A reader that closed its pipe does not want more."""
        return self.error is not None and self.error.errno != errno.EPIPE


def guard() -> Stream:
    """Replace standard output and error by such streams; returns that of standard output.

    A descriptor that is closed at the start is opened first, or the next opened file would get our output.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)  # the lowest free number: this one
    output, errors = (Stream(descriptor, "w", closefd=False) for descriptor in (1, 2))
    sys.stdout = _text(output, sys.stdout, is_line_buffered=output.isatty())
    sys.stderr = _text(errors, sys.stderr, is_line_buffered=True)
    return output


def _text(stream: Stream, before: TextIO | None, *, is_line_buffered: bool) -> TextIO:
    """A text stream in the encoding of the stream that it replaces."""
    return io.TextIOWrapper(
        io.BufferedWriter(stream),
        encoding=before.encoding if before else "utf-8",
        errors=(before.errors if before else None) or "backslashreplace",
        line_buffering=is_line_buffered,
    )
