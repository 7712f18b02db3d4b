"""The share of packet memory that lossless classes get, as the intent asks: rendered where there is a line for it."""

from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.nvue.tree import to_data
from nornir_tasks.render.render import render
from tests.unit.design.long_cables import DEVICES, realised
from tests.unit.design.wanted_of import wanted_of


def test_cumulus_linux_shares_all_memory_between_both_pools_and_reads_it_back() -> None:
    each = realised(DEVICES["nvue"])
    assert each.config.qos is not None and each.config.qos.lossless_memory_percent == 90
    whole = wanted_of(each)
    pools = to_data(whole.tree)["qos"]["traffic-pool"]
    assert pools == {"default-lossy": {"memory-percent": 10}, "roce-lossless": {"memory-percent": 90}}
    parsed = whole.platform.parse(whole.tree, whole.capabilities, whole.device, each.config.model)
    assert parsed.config == each.config and not parsed.remainder


def test_another_system_is_said_to_have_no_line_for_it() -> None:
    each = realised(DEVICES["eos"])
    assert each.config.qos is not None and each.config.qos.lossless_memory_percent is None
    assert "memory-percent" not in render(each.config, each.capabilities, environment("eos"))
    (note,) = [one for one in each.adjustments if one.field == "qos.lossless_memory_percent"]
    assert (note.intended, note.adjusted) == ("90", "not set")
