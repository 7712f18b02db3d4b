"""Each host is in one group that playbooks address, whatever planes it is on."""

from typing import Any

import pytest

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.hosts.host_groups import playbook_group_of, playbook_groups
from nornir_tasks.errors import IntentError
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from tests.svi import SITE
from tests.unit.design import front


def groups(intent: Intent) -> dict[str, str]:
    return playbook_group_of(demands(intent, kinds().planes), kinds(), intent.marks)


def test_gpu_hosts_servers_and_all_others_are_told_apart() -> None:
    """GPU hosts are on the storage plane as well, which they do not serve."""
    intent = load_site(SITE.parent / "front").intent
    assert groups(intent) == {"gpu": "compute", "storage": "storage", "api": "services", "login": "services"}
    assert set(playbook_groups(kinds())) == {"compute", "storage", "services"}


def test_a_group_of_hosts_may_be_called_like_the_playbooks_group_that_it_is_in() -> None:
    found = groups(load_site("ref-28672-front").intent)
    assert found == {
        "gpu": "compute",
        "storage": "storage",
        **dict.fromkeys(("login", "services", "api", "notebooks"), "services"),
    }


def with_servers(*servers: str) -> dict[str, Any]:
    data = front.data()
    data["planes"]["storage"].pop("demand")
    data["planes"]["storage"]["servers"] = list(servers)
    return data


def test_where_nobody_is_said_to_serve_hosts_on_storage_alone_do() -> None:
    data = with_servers()
    assert groups(front.loaded(data))["store"] == "storage"
    assert groups(front.loaded(data))["gpu"] == "services"


def test_a_client_of_a_plane_whose_servers_are_named_is_no_server() -> None:
    assert groups(front.loaded(with_servers("gpu"))) == {
        "gpu": "storage",
        "store": "services",
        "login": "services",
        "api": "services",
    }


@pytest.mark.parametrize("name", ["compute", "storage", "planned"])
def test_hosts_that_have_the_name_of_others_playbooks_are_refused(name: str) -> None:
    data = front.data()
    data["hosts"][name] = data["hosts"].pop("api")
    with pytest.raises(IntentError) as refused:
        groups(front.loaded(data))
    (problem,) = refused.value.problems
    assert problem.what == f"hosts.{name}: playbooks address other hosts as {name}; these are among services"
    assert problem.expected == "any name but compute, storage, services, planned"
