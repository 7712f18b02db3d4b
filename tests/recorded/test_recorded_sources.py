"""A recording without a source is a rumour."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest
from transcripts import RECORDED, read_transcript, sources_of

TOOLS = sorted(path.parent.name for path in RECORDED.glob("*/SOURCES.yml"))


def test_every_folder_of_recordings_has_sources() -> None:
    assert sorted(path.name for path in RECORDED.iterdir() if path.is_dir() and any(path.glob("*.txt"))) == TOOLS


@pytest.mark.parametrize("tool", TOOLS)
def test_every_recording_says_where_it_is_from(tool: str) -> None:
    sources = sources_of(tool)
    assert sorted(sources) == sorted(path.name for path in (RECORDED / tool).glob("*.txt"))
    for entry in sources.values():
        assert set(entry) == {"kind", "source", "version", "date"}
        assert entry["kind"] in {"recorded", "pasted", "read"}
        assert len(entry["source"]) > 20


def test_every_transcript_can_be_read(figure: Callable[[str], None]) -> None:
    kinds: Counter[str] = Counter()
    for tool in TOOLS:
        for name, entry in sources_of(tool).items():
            calls = read_transcript(f"{tool}/{name}")
            assert calls, f"{tool}/{name} holds no call"
            kinds[entry["kind"]] += len(calls)
    figure("host tools: " + ", ".join(f"{count} calls {kind}" for kind, count in kinds.most_common()))


@pytest.mark.parametrize("tool", ["eos_show", "nxos_show"])
def test_a_switchs_output_in_json_is_json(tool: str) -> None:
    outputs = [(name, call) for name in sources_of(tool) for call in read_transcript(f"{tool}/{name}")]
    structured = [(name, call) for name, call in outputs if call.stdout.startswith("{")]
    assert structured
    for name, call in structured:
        assert json.loads(call.stdout), f"{name}: {call.command}"
