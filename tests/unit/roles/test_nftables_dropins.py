"""Each role with a table has the host's service of rules load it in the same way: all are there, whichever it reads."""

from pathlib import Path

import pytest

ROLES = Path(__file__).resolve().parents[3] / "roles"
DROPINS = sorted(ROLES.glob("*/templates/nftables-dropin.conf.j2"))


def lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("file", DROPINS, ids=lambda file: file.parents[1].name)
def test_roles_on_one_host_do_not_undo_one_anothers(file: Path) -> None:
    assert lines(file) == lines(ROLES / "firewall" / "templates" / "nftables-dropin.conf.j2")
    assert "{{" not in "".join(lines(file)), "no table of one role alone"


def test_every_role_that_has_a_table_of_nftables_has_it() -> None:
    tasks = [path for path in ROLES.glob("*/tasks/*.yml") if "gpufabric.host.nft_table" in path.read_text()]
    assert {path.parents[1].name for path in tasks} == {file.parents[1].name for file in DROPINS}
