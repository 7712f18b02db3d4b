"""What role rdma_stack tells modprobe of network namespaces."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from ansible.plugins.filter.core import ternary

FILE = Path(__file__).parents[4] / "roles/rdma_stack/templates/modprobe.conf.j2"


@pytest.mark.parametrize(("mode", "lines"), [("", []), ("shared", ["1"]), ("exclusive", ["0"])])
def test_rdma_devices_are_shared_or_exclusive_at_the_next_boot_where_that_is_asked_for(
    mode: str, lines: list[str]
) -> None:
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    environment.filters["ternary"] = ternary
    text = environment.from_string(FILE.read_text()).render(
        rdma_stack_provider="mlx5", rdma_stack_peermem=False, rdma_stack_namespaces=mode
    )
    options = [line for line in text.splitlines() if line.startswith("options")]
    assert options == [f"options ib_core netns_mode={value}" for value in lines]
