"""Where NVUE data holds secrets: texts under these keys, anywhere.

A switch shows ``*`` instead (nvueschema: ``SecretStr``; docs514 User-Accounts.md and Troubleshooting-BGP.md), so two
of them cannot be compared, and the push keeps in mind what was sent.
"""

import json
import re
from typing import Any

from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.nvue.tree import key_and_value
from nornir_tasks.platforms.secret_places import SecretPlaces, Swap, exchange

KEYS = frozenset({"hashed-password", "password", "secret", "auth-md5", "auth-sha", "encrypt-aes", "encrypt-des"})
_QUOTED = re.compile(rf'((?:{"|".join(sorted(KEYS))})["\']?: ?)("(?:[^"\\]|\\.)*"|\'[^\']*\'|[^\s"\',}}]+)')


def _in_text(text: str, swap: Swap) -> str:
    """JSON of a configuration; in any other text, what looks like a key with its value."""
    if not any(key in text for key in KEYS):
        return text
    try:
        data = json.loads(text)
    except ValueError:
        return _QUOTED.sub(lambda found: found[1] + swap("", found[2].strip("\"'")), text)
    if not isinstance(data, dict):
        return text
    exchange(data, KEYS, swap)
    return json.dumps(data, ensure_ascii=False)


def _in_payload(payload: dict[str, Any], swap: Swap) -> dict[str, Any]:
    patch = json.loads(json.dumps(payload["patch"]))
    exchange(patch, KEYS, swap)
    return {**payload, "patch": patch}


def _in_path(path: Path, swap: Swap) -> Path:
    if not path:
        return path
    key, value = key_and_value(path[-1])
    if value is None or key not in KEYS or not isinstance(text := json.loads(value), str):
        return path
    keys = (*(key_and_value(each)[0] for each in path[:-1]), key)
    return (*path[:-1], f"{key}: {json.dumps(swap(' / '.join(keys), text), ensure_ascii=False)}")


SECRETS = SecretPlaces(_in_text, _in_payload, _in_path, unshown="*")
