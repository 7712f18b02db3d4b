"""What sites come out as: rendered files, cabling, host variables and counts, as one checksum each.

    python tests/baseline/run.py                 compare with tests/baseline.sums; ends with 1 where anything differs
    python tests/baseline/run.py --large         with the largest sites too, which take four fifths of the time
    python tests/baseline/run.py --write         write tests/baseline.sums anew
    python tests/baseline/run.py --keep FOLDER   leave the files there, to compare two checkouts with `diff -r`

The sites are those of inventory/ and tests/sites/, variants of them, and 200 drawn from a seed. They are made through
the command line, as a user makes them.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.cli.app import app
from nornir_tasks.errors import DesignError
from nornir_tasks.usecases import hosts

sys.path.insert(0, str(Path(__file__).parent))
from random_sites import random_sites

ROOT = Path(__file__).parents[2]
SUMS = ROOT / "tests" / "baseline.sums"
RANDOM_SITES = 200
LARGEST_WITH_HOSTS = 600
"""Host variables are compared on sites of up to this many hosts; larger ones repeat them."""
LARGEST_IN_CHECK = 1024
"""Sites of more hosts are made with --large and --write only: `make test-long` compares them."""
COUNTS = ("tiers", "oversubscription", "host_links", "fabric_links")


def named_sites() -> Iterator[tuple[str, dict[str, Any]]]:
    """The sites that people look at, and variants of them for what they do not use."""
    found = {
        folder.name: yaml.safe_load((folder / "fabric.yml").read_text(encoding="utf-8"))
        for parent in (ROOT / "inventory", ROOT / "tests" / "sites")
        for folder in sorted(parent.iterdir())
        if (folder / "fabric.yml").exists()
    }
    yield from found.items()
    yield "lab-clos", changed(found["lab-rails"], leaf={"overrides": []}, fabric={"design": "clos"})
    yield "lab-subnet", changed(found["lab-rails"], plane={"link": "subnet/28"})
    eos = {"overrides": [], "platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
    yield "eos-flowlet", changed(found["lab-rails"], leaf=eos, spine=eos, policy={"load_balancing": "flowlet"})
    nxos = {"overrides": [], "platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"}
    yield "nxos-flowlet", changed(found["lab-rails"], leaf=nxos, spine=nxos, policy={"load_balancing": "flowlet"})


def changed(site: dict[str, Any], *, policy: dict[str, Any] | None = None, **parts: dict[str, Any]) -> dict[str, Any]:
    """A copy of a site with keys of its policy, of its plane, of its fabric, or of tiers of that exchanged."""
    copy = json.loads(json.dumps(site))
    copy["policy"].update(policy or {})
    fabric = copy["fabrics"]["compute"]
    named = {"plane": copy["planes"]["compute"], "fabric": fabric}
    for part, keys in parts.items():
        (named[part] if part in named else fabric[part]).update(keys)
    return copy


def make(data: dict[str, Any], folder: Path) -> None:
    """Everything that comes out of one site, as files in a folder; DesignError where it cannot be built."""
    with tempfile.TemporaryDirectory() as temporary:
        site = Path(temporary) / data["site"]
        site.mkdir()
        (site / "fabric.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        run("design", "--site", str(site), "--csv", str(folder / "cabling.csv"))
        counts = json.loads(run("design", "--site", str(site), "--json"))
        run("render", "--site", str(site), "--out", str(folder / "rendered"))
        variables = hosts.inventory(site, with_planned=True).variables if has_host_variables(data) else {}
    planes = {name: {key: plane[key] for key in COUNTS} for name, plane in counts["planes"].items()}
    write(folder / "counts.json", {"planes": planes, "totals": counts["totals"]})
    write(folder / "hosts.json", variables)


def has_host_variables(data: dict[str, Any]) -> bool:
    """Are hosts of this site described, and few enough to look at each?"""
    group = data["hosts"].get("gpu")
    return group is not None and "at" in group["nics"]["compute"] and group["count"] <= LARGEST_WITH_HOSTS


def write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=1, sort_keys=True, default=str) + "\n", encoding="utf-8")


def run(*words: str) -> str:
    """What one command prints on standard output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        app(words, standalone_mode=False)
    return out.getvalue()


def sums(folder: Path) -> Iterator[str]:
    """A line for each kind of output of one site: the checksum of its files, names included."""
    for part in sorted(folder.iterdir()):
        files = [part] if part.is_file() else [each for each in sorted(part.rglob("*")) if is_output(each)]
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n".encode())
        yield f"{digest.hexdigest()}  {folder.name}/{part.name} ({len(files)} files)"


def is_output(file: Path) -> bool:
    """Is this a switch's file, and not a note that `render` left for itself?"""
    return file.is_file() and not file.name.startswith(".")


def one_site(data: dict[str, Any], folder: Path) -> list[str] | None:
    """The lines of one site; None where it cannot be built."""
    folder.mkdir(parents=True)
    try:
        make(data, folder)
    except DesignError:
        return None
    return list(sums(folder))


def hosts_of(data: dict[str, Any]) -> int:
    """How many hosts a site has in all its groups."""
    return sum(group["count"] for group in data["hosts"].values())


def all_sums(keep: Path, named: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """The lines of tests/baseline.sums: sites side by side on all cores, in an order that does not depend on it."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = pool.map(one_site, [{**data, "site": name} for name, data in named], [keep / name for name, _ in named])
        for (name, _), lines in zip(named, found, strict=True):
            if lines is None:
                raise SystemExit(f"{name} cannot be built any more; see nornir design --site {name}")
            yield from lines
        together, built, drawn = hashlib.sha256(), 0, random_sites()
        while built < RANDOM_SITES:
            some = list(islice(drawn, RANDOM_SITES - built))
            for lines in pool.map(one_site, some, [keep / "random" / data["site"] for data in some]):
                if lines is not None:
                    built += 1
                    together.update("\n".join(lines).encode())
    yield f"{together.hexdigest()}  {built} random sites"


def main() -> int:
    """Compare, or write anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    os.environ["COLUMNS"] = "200"
    every = list(named_sites())
    named = (
        every if options.large or options.write else [each for each in every if hosts_of(each[1]) <= LARGEST_IN_CHECK]
    )
    left_out = {name for name, _ in every} - {name for name, _ in named}
    with tempfile.TemporaryDirectory() as temporary:
        found = list(all_sums(options.keep or Path(temporary), named))
    if options.write:
        SUMS.write_text("\n".join(found) + "\n", encoding="utf-8")
        return 0
    known = SUMS.read_text(encoding="utf-8").splitlines()
    known = [line for line in known if line.partition("  ")[2].partition("/")[0] not in left_out]
    different = [line.partition("  ")[2] for line in found if line not in known]
    different += [f"{line.partition('  ')[2]} (no longer made)" for line in known if line not in found]
    for each in different:
        print(f"not as in {SUMS.relative_to(ROOT)}: {each}", file=sys.stderr)
    if different:
        hint = "--keep FOLDER, here and in the checkout before; compare with diff -r"
        print(f"look with: python {Path(__file__).relative_to(ROOT)} {hint}", file=sys.stderr)
    else:
        print(f"{len(found)} checksums as in {SUMS.relative_to(ROOT)}")
        if left_out:
            print(f"not compared without --large: {', '.join(sorted(left_out))}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
