"""``???`` in devices.yml: each is named with its place when switches are to be reached, and not before."""

from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.grown_devices import add_entries
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.site import load
from nornir_tasks.usecases.start.answers import Answers
from nornir_tasks.usecases.start.create import from_answers

HEAD = "username: us\npassword: !secret ours\nca: ca.pem\ndevices:\n"
NEW = 'leaf-9: {address: "???", serial: "???"}'


def written(folder: Path, text: str) -> Path:
    (folder / "devices.yml").write_text(text)
    return folder / "devices.yml"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small site of its own, as init makes it, and then made real."""
    from_answers(tmp_path / "dc1", Answers(site="dc1", planes=("compute",), nics=1), None)
    file = tmp_path / "dc1/devices.yml"
    file.write_text(file.read_text().replace("source: lab ", "# source "))
    return tmp_path / "dc1"


def refusal(site: Path, *names: str) -> str:
    design = load(site)
    systems = {each.name: each.os for each in design.network.devices if not names or each.name in names}
    with pytest.raises(IntentError) as caught:
        endpoints(design.site, systems)
    return str(caught.value).replace(f"{site}/", "")


def test_each_that_is_left_is_named_with_line_and_key_all_at_once_with_the_ca_and_the_secret(site: Path) -> None:
    lines = (site / "devices.yml").read_text().splitlines()
    text = refusal(site)
    places = [(n, line.split(":")[0].strip()) for n, line in enumerate(lines, 1) if '"???"' in line and "{" in line]
    assert len(places) == 3
    for number, name in places:
        assert f"devices.yml:{number}: devices.{name}.address: still to be written\n" in text
        assert f"devices.yml:{number}: devices.{name}.serial: still to be written, or the key is taken out\n" in text
    assert text.count("still to be written") == 6
    assert "ca" in text.rpartition("still to be written")[2]
    assert "the secret 'switch_password' has no value" in text


def test_only_those_of_the_chosen_switches_are_named(site: Path) -> None:
    text = refusal(site, "spine-2")
    assert text.count("still to be written") == 2
    assert text.count("spine-2") == 2


def test_a_switch_that_the_list_lacks_altogether_is_refused_with_what_adds_it(site: Path) -> None:
    file = site / "devices.yml"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if "spine-2" not in line))
    text = refusal(site, "spine-2")
    assert "the design has this switch, the device list has not" in text
    assert "hint: nornir init --update " in text


def test_a_site_is_designed_before_anything_is_written(site: Path) -> None:
    design = load(site)
    assert len(design.network.devices) == 3
    assert design.site.devices is not None
    assert design.site.devices.names() == [each.name for each in design.network.devices]


def test_what_is_written_counts_while_the_rest_is_left(tmp_path: Path) -> None:
    listed = load_devices(
        written(tmp_path, f'{HEAD}  a: {{address: 192.0.2.1, serial: "???"}}\n  b: {{address: "???"}}\n')
    )
    assert listed.devices["a"].address == "192.0.2.1"
    assert listed.devices["a"].serial is None
    assert "b" not in listed.devices
    assert [each.where.rpartition(":")[2] for each in listed.unwritten({"a"})] == ["5"]
    assert len(listed.unwritten({"a", "b"})) == 2


def test_the_account_and_an_attached_device_are_to_be_written_whatever_is_chosen(tmp_path: Path) -> None:
    text = HEAD.replace("us\n", "???\n") + '  a: {address: 192.0.2.1}\nattached:\n  bmc-1: {mac: "???"}\n'
    listed = load_devices(written(tmp_path, text))
    assert [each.what.partition(":")[0] for each in listed.unwritten(())] == ["username", "attached.bmc-1.mac"]
    assert dict(listed.attached) == {}


def test_a_mistake_beside_it_is_still_one(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match=r"devices\.yml:5: devices\.a\.adress: unknown key"):
        load_devices(written(tmp_path, f'{HEAD}  a: {{adress: 192.0.2.1, serial: "???"}}\n'))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{HEAD}  a: {{address: 192.0.2.1}}   # mine\n", id="the-end"),
        pytest.param(f"{HEAD}  a: {{address: 192.0.2.1}}", id="no-newline"),
        pytest.param(
            f"{HEAD}    a:\n      address: 192.0.2.1\n      # its own\n\n# next\nattached: {{}}\n", id="blocks"
        ),
        pytest.param(
            f"{HEAD}  a: {{address: 192.0.2.1,\n      serial: X1}}\n  # spare: later\nknown_hosts: k\n", id="two-lines"
        ),
        pytest.param(HEAD.replace("devices:", "devices: {}   # none yet"), id="empty"),
        pytest.param(f"{HEAD}  a: {{address: 192.0.2.1}}\n".replace("\n", "\r\n"), id="windows"),
    ],
)
def test_a_new_switch_is_added_and_every_line_stays(text: str, tmp_path: Path) -> None:
    file = tmp_path / "devices.yml"
    file.write_bytes(text.encode())
    add_entries(file, [NEW])
    after = file.read_bytes().decode().splitlines()
    kept = [line.replace("devices: {}", "devices:") for line in text.splitlines()]
    assert [line for line in after if "leaf-9" not in line] == kept
    assert load_devices(file).names()[-1] == "leaf-9"


def test_a_list_in_braces_is_refused_and_stays(tmp_path: Path) -> None:
    text = HEAD.replace("devices:", "devices: {a: {address: 192.0.2.1}}")
    with pytest.raises(IntentError, match="one on a line"):
        add_entries(written(tmp_path, text), [NEW])
    assert (tmp_path / "devices.yml").read_text() == text
