"""Who had an address and a port at a time, from logs of one gateway or both, whole or not."""

import gzip
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[4] / "roles" / "nat_gateway" / "files"))
import nat_find
from nat_records import Files, files, records, size_bytes, written

START = datetime(2026, 11, 28, 3, 0, tzinfo=UTC)
FLOW = {
    "protocol": "tcp",
    "inside": "10.177.1.9",
    "inside_port": 40000,
    "outside": "203.0.113.16",
    "outside_port": 40000,
    "to": "192.0.2.5",
    "to_port": 443,
    "id": 7,
}


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def record(seconds: float, event: str, gateway: str = "firewall-1", **more: Any) -> dict[str, Any]:
    flow = FLOW if event in ("opened", "ended") else {}
    return {"time": written(at(seconds).timestamp()), "gateway": gateway, "event": event, **flow, **more}


def log(folder: Path, *entries: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "translations.log").write_text("".join(json.dumps(each) + "\n" for each in entries))
    return folder


def reply(seconds: float, *folders: Path, **more: Any) -> nat_find.Answer:
    question = nat_find.Question("203.0.113.16", 40000, at(seconds), timedelta(seconds=0.1), **more)
    return nat_find.answer(question, folders)


def who(seconds: float, *folders: Path, **more: Any) -> list[tuple[str, list[str]]]:
    return [(each.key[1], each.gateways) for each in reply(seconds, *folders, **more).found]


def test_a_port_is_its_hosts_from_beginning_to_end_and_nobodys_before_and_after(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(10, "opened"), record(20, "ended"))
    assert [who(each, one) for each in (9, 10, 15, 20, 21)] == [[], *[[("10.177.1.9", ["firewall-1"])]] * 3, []]


def test_a_port_that_a_second_host_has_later_is_not_the_first_ones(tmp_path: Path) -> None:
    later = {"inside": "10.177.1.10"}
    one = log(tmp_path / "one", record(10, "opened"), record(20, "ended"), record(30, "opened", **later))
    assert who(31, one) == [("10.177.1.10", ["firewall-1"])]


def test_one_port_towards_two_destinations_is_told_apart_by_the_destination(tmp_path: Path) -> None:
    other = {"inside": "10.177.1.10", "to": "192.0.2.6"}
    one = log(tmp_path / "one", record(10, "opened"), record(11, "opened", **other))
    assert [each for each, _ in who(12, one)] == ["10.177.1.9", "10.177.1.10"]
    assert [each for each, _ in who(12, one, to="192.0.2.6")] == ["10.177.1.10"]


def test_a_connection_that_moved_is_found_once_and_has_not_ended(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(10, "opened"), record(40, "ended", copy="moved"))
    two = log(
        tmp_path / "two",
        record(25, "opened", "firewall-2", copy="taken_over"),
        record(60, "ended", "firewall-2"),
    )
    for seconds in (12, 30, 50):
        assert who(seconds, one, two) == [("10.177.1.9", ["firewall-1", "firewall-2"])]
    assert who(61, one, two) == []


def test_of_a_dead_gateway_the_survivor_tells_who_it_was_and_that_it_began_before(tmp_path: Path) -> None:
    two = log(
        tmp_path / "two", record(25, "opened", "firewall-2", copy="taken_over"), record(60, "ended", "firewall-2")
    )
    (found,) = reply(12, two).found
    assert found.began_before
    assert "before 2026-11-28T03:00:25" in str(found)


def test_what_was_open_when_the_log_began_is_known_from_when_the_kernel_says(tmp_path: Path) -> None:
    opened = written(at(5).timestamp())
    one = log(tmp_path / "one", record(10, "following"), record(10, "opened", copy="found", opened=opened))
    assert [len(reply(each, one).found) for each in (4, 6, 11)] == [0, 1, 1]


def test_an_end_alone_tells_since_when(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(20, "ended", opened=written(at(5).timestamp())))
    assert [len(reply(each, one).found) for each in (4, 6, 21)] == [0, 1, 0]


def test_a_time_at_which_nothing_was_written_down_is_named(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(0, "following"), record(60, "alive"), record(90, "following"))
    (note,) = reply(70, one).notes
    assert note.startswith("firewall-1 wrote down nothing between 2026-11-28T03:01:00")
    assert reply(30, one).notes == []
    (note,) = reply(-5, one).notes
    assert note.startswith("the log of firewall-1 begins at ")


def test_a_record_that_came_late_is_from_when_it_can_have_been_made(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(30, "opened", since=written(at(10).timestamp())))
    assert [len(reply(each, one).found) for each in (9, 11, 31)] == [0, 1, 1]


def test_lost_events_are_lost_since_the_last_ones_that_were_read(tmp_path: Path) -> None:
    one = log(
        tmp_path / "one",
        record(0, "following"),
        record(30, "opened", since=written(at(10).timestamp())),
        record(30, "lost", since=written(at(10).timestamp())),
    )
    assert reply(5, one).notes == []
    (note,) = reply(20, one).notes
    assert note.startswith("firewall-1 wrote down nothing between 2026-11-28T03:00:10")


def test_a_folder_without_a_log_is_named(tmp_path: Path) -> None:
    assert reply(0, tmp_path).notes == [f"{tmp_path} has no log of translations"]


def test_a_line_that_a_crash_cut_off_is_left_out_and_the_next_one_is_whole(tmp_path: Path) -> None:
    one = log(tmp_path / "one", record(10, "opened"))
    with (one / "translations.log").open("a") as there:
        there.write('{"time": "2026')
    again = Files(one, 10_000, 30_000)
    again.write([json.dumps(record(20, "ended"))], 0)
    again.close()
    assert [each["event"] for each in records(one / "translations.log")] == ["opened", "ended"]


def test_a_file_that_is_compressed_while_it_is_read_is_found_all_the_same(tmp_path: Path) -> None:
    listed = tmp_path / "translations-20261128T030000.000000Z.log"
    with gzip.open(f"{listed}.gz", "wt") as there:
        there.write(json.dumps(record(10, "opened")) + "\n")
    assert [each["event"] for each in records(listed)] == ["opened"]


def test_what_a_killed_program_left_is_compressed_by_the_next_one(tmp_path: Path) -> None:
    left = tmp_path / "translations-20261128T030000.000000Z.log"
    left.write_text(json.dumps(record(10, "opened")) + "\n")
    left.with_suffix(".log.gz").write_bytes(b"cut off")
    Files(tmp_path, 1000, 10_000).close()
    assert not left.exists()
    assert [each["event"] for path in files(tmp_path) for each in records(path)] == ["opened"]


def test_full_files_are_compressed_read_in_order_and_the_oldest_goes(tmp_path: Path) -> None:
    there = Files(tmp_path, 1000, 2500)
    for number in range(400):
        there.write([json.dumps(record(number, "alive"))], at(number).timestamp())
    there.close()
    names = [each.name for each in files(tmp_path)]
    assert names[-1] == "translations.log"
    assert all(name.endswith(".gz") for name in names[:-1])
    assert sum(each.stat().st_size for each in files(tmp_path)) <= 2500
    times = [each["time"] for path in files(tmp_path) for each in records(path)]
    assert times == sorted(times)
    assert times[0] > record(0, "alive")["time"], "the oldest are gone"
    assert times[-1] == record(399, "alive")["time"]


@pytest.mark.parametrize("arguments", [["nobody", "5", "2026-11-28T03:00:00Z"], ["203.0.113.16", "5", "yesterday"]])
def test_a_question_that_is_none_ends_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        nat_find.main(arguments)
    assert ended.value.code == 2


def test_the_command_prints_who_it_was_and_ends_with_1_where_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = log(tmp_path / "one", record(10, "opened"))
    where = ["--folder", str(one)]
    assert nat_find.main(["203.0.113.16", "40000", "2026-11-28T04:00:12+01:00", *where]) == 0
    assert capsys.readouterr().out.startswith("10.177.1.9 port 40000 tcp as 203.0.113.16 port 40000 to 192.0.2.5 ")
    assert nat_find.main(["203.0.113.16", "40001", "2026-11-28T03:00:12", *where]) == 1
    assert "no host had 203.0.113.16 port 40001 then" in capsys.readouterr().err


def test_a_file_that_was_compressed_since_it_was_listed_has_a_size(tmp_path: Path) -> None:
    (tmp_path / "translations-20261128T030548.000000Z.log.gz").write_bytes(b"12345")
    assert size_bytes(tmp_path / "translations-20261128T030548.000000Z.log") == 5
    assert size_bytes(tmp_path / "translations-20261128T030549.000000Z.log") == 0
