"""Filter ``certificate_problems``: certificates of published services that clients would refuse today or soon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence


def certificate_problems(
    given: Mapping[str, str],
    with_tls: Sequence[str],
    contents: Mapping[str, str],
    there: Mapping[str, str],
    days: int,
    now_s: float,
) -> list[str]:
    """What plugin_utils/certificates.py finds, which says what the arguments are."""
    # Each process that Ansible forks for a task reads the files of all filters of the collection, whichever it uses:
    # only where certificates are judged is x509 worth its time, which is as long as that of many others together.
    from ansible_collections.gpufabric.host.plugins.plugin_utils import certificates  # noqa: PLC0415

    return certificates.certificate_problems(given, with_tls, contents, there, days, now_s)


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"certificate_problems": certificate_problems}
