"""Ansible's set filters give their items in an order of each run: a message or a file of ours would change with it."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
BY_CHANCE = re.compile(r"\|\s*(?:\w+\.\w+\.)?(?:difference|intersect|symmetric_difference|union)\b")


def test_no_list_of_roles_and_playbooks_changes_its_order_by_chance() -> None:
    roots = [CHECKOUT / "roles", CHECKOUT / "playbooks"]
    texts = [each for root in roots for each in root.rglob("*") if each.suffix in (".yml", ".j2")]
    assert len(texts) > 200
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}: {line.strip()}"
        for path in texts
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if BY_CHANCE.search(line)
    ]
    assert not found, "use reject('in', …) or select('in', …), which keep the order:\n" + "\n".join(found)
