"""What MAAS, cloud-init, installers and administrators left on a host: what of it goes when its ports become ours.

Each file of provisioned/ is a host: its source, its files, what ``ip`` shows; beside it, as text, the plan made of
it and what is left of its files. A run with --update-golden writes the text anew.
"""

import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[3] / "plugins/module_utils"))
import adopt_plan
from name_settings import Port

STATES = sorted(Path(__file__).with_name("provisioned").glob("*.yml"))
MACS = {name: f"0c:42:a1:00:00:{number}" for name, number in
        {"eno1": "01", "eno9": "09", "ens16": "10", "ens17": "11", "ens20": "20", "ens21": "21"}.items()}  # fmt: skip
WANTED = {"ens16": "rail0", "ens17": "rail1", "ens20": "data0", "ens21": "data1"}


def entry(text):
    """One interface as ``ip -j -d address show`` prints it, from such as ``bond0.300 vlan on bond0 10.1.0.4/26``."""
    name, *words = text.split()
    made = {"ifname": name, "addr_info": []}
    while words:
        word = words.pop(0)
        if word == "in":
            made["master"] = words.pop(0)
        elif word == "on":
            made["link"] = words.pop(0)
        elif "/" in word:
            local, _, length = word.partition("/")
            made["addr_info"].append({"local": local, "prefixlen": int(length), "scope": "global"})
        else:
            made["linkinfo"] = {"info_kind": word}
    return made


class Host:
    """A provisioned host, as a folder of files and what runs."""

    def __init__(self, path, root):
        self.path, self.root = path, root
        self.text = yaml.safe_load(path.read_text())
        self.entries = [entry(each) for each in self.text["live"]]
        for file, text in self.text["files"].items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        names = [each["ifname"] for each in self.entries if "linkinfo" not in each]
        self.ports = [Port(name, MACS[name], "", ()) for name in names]

    def plan(self, **changed):
        ours = adopt_plan.Ours(WANTED, families=tuple(self.text.get("default", ())), **changed)
        return adopt_plan.plan(self.root, self.ports, ours, self.entries)

    def write(self, edits):
        for each in edits:
            file = self.root / each.file.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            if each.after is None:
                file.unlink()
            else:
                file.write_bytes(each.content())

    def left(self):
        """Path -> text, of the files that are not as they were; None of one that is gone."""
        files = {str(each.relative_to(self.root)): each.read_text() for each in self.root.rglob("*") if each.is_file()}
        before = self.text["files"]
        return {each: files.get(each) for each in sorted({*files, *before}) if files.get(each) != before.get(each)}


@pytest.fixture(params=STATES, ids=lambda path: path.stem)
def host(request, tmp_path):
    return Host(request.param, tmp_path)


def adopted(host):
    """Both steps: ours first, the default routes of others after."""
    first = host.plan()
    host.write(first.edits)
    second = host.plan()
    host.write(second.default_edits)
    return first


def written(host, made):
    """The plan, what must be done by hand first, and each file that is not as it was, as text."""
    lines = [*made.lines(), *(f"by hand first: {each}" for each in made.blocks)]
    for path, text in host.left().items():
        lines += [f"== /{path}", text.rstrip("\n") if text is not None else "(gone)"]
    return "".join(f"{each}\n" for each in lines)


def test_the_plan_of_each_provisioned_host_is_as_written(host, request):
    expected, found = host.path.with_suffix(".txt"), written(host, adopted(host))
    if request.config.getoption("--update-golden"):
        expected.write_text(found)
    assert found == expected.read_text()


def test_nothing_is_left_to_take_after_it(host):
    made = adopted(host)
    host.entries = [each for each in host.entries if each["ifname"] not in made.links]
    for each in host.entries:
        if each["ifname"] in {*made.release, *WANTED}:
            each.pop("master", None)
            each["addr_info"] = []
    again = host.plan()
    assert (again.edits, again.default_edits, again.is_empty) == ([], [], True)


def test_what_is_ours_already_is_no_provisioners(tmp_path):
    host = Host(Path(__file__).with_name("provisioned") / "running-only.yml", tmp_path)
    assert "bond0" in host.plan().links
    kept = host.plan(links=frozenset({"bond0"}), addresses=frozenset({"10.177.0.4/26"}))
    assert "bond0" not in kept.links
