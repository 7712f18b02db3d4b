"""The bastion's rules need no account to be there when the host starts."""

from __future__ import annotations

from pathlib import Path

import jinja2
import yaml

from tests.unit.roles.bastion.test_sshd_settings import VALUES

ROLE = Path(__file__).parents[4] / "roles" / "bastion"
NUMBERS = {"root": "0", "ada": "1001", "linus": "1002", "eve": "1003", "grace": "1004"}


def rules(numbers: dict[str, str]) -> str:
    own = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    own |= yaml.safe_load((ROLE / "vars" / "main.yml").read_text())
    groups = [(each["group"], [each]) for each in VALUES["bastion_targets"]]
    given = {"__bastion_numbers": numbers, "__bastion_groups": groups, "bastion_services": []}
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    text = (ROLE / "templates" / "bastion.nft.j2").read_text()
    return environment.from_string(text).render(**{**own, **VALUES, **given})


def test_people_are_known_by_numbers_as_nft_refuses_a_name_that_nobody_has() -> None:
    wanted = "1001 : goto person_1, 1002 : goto person_2, 1003 : goto person_3, 1004 : goto person_4"
    assert f"\t\tmeta skuid vmap {{ {wanted} }}\n\t}}\n" in rules(NUMBERS)


def test_each_keeps_the_own_chain_where_another_one_has_no_account_yet() -> None:
    assert "vmap { 1001 : goto person_1, 1004 : goto person_4 }" in rules({"ada": "1001", "grace": "1004"})


def test_where_nobody_has_an_account_yet_no_map_is_empty() -> None:
    assert "vmap" not in rules({"root": "0"})
