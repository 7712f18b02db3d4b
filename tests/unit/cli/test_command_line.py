"""The command line itself: verbs, options, what is imported, and what wrong words are answered with."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from nornir_tasks.cli.app import app
from tests.intent_parts import of_two_rails

ROOT = Path(__file__).parents[3]
NORNIR = Path(sys.executable).with_name("nornir")
GROUP = typer.main.get_command(app)
VERBS = sorted(name for name, command in GROUP.commands.items() if not hasattr(command, "commands"))
NESTED = sorted((name, below) for name, command in GROUP.commands.items() for below in getattr(command, "commands", {}))
OF_NO_SITE = ("schema", "explain", "init")
SWITCH_VERBS = ("plan", "push", "validate")
SLOW_TO_IMPORT = (
    "napalm",
    "netmiko",
    "nornir",
    "paramiko",
    "requests",
    "pyeapi",
    "jinja2",
    "rich",
    "nornir_tasks.intent",
)
"""pydantic is not among them: typer loads it itself, to read the words of the command line."""


def nornir(*words: str, state: Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(NORNIR), *words],
        env={**os.environ, "GPUFABRIC_STATE": str(state), "COLUMNS": "200"},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A copy of the lab site whose lab is down."""
    shutil.copytree(ROOT / "inventory/lab-rails", tmp_path / "lab")
    return tmp_path / "lab"


def options(command) -> set[str]:
    return {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)}


def test_help_lists_every_verb_and_the_exit_codes(tmp_path: Path) -> None:
    shown = nornir("--help", state=tmp_path).stdout
    for name in GROUP.commands:
        assert f"\n  {name} " in shown, shown
    assert "130 declined or interrupted" in " ".join(shown.split())
    assert set(SWITCH_VERBS) <= set(VERBS)


def test_no_word_at_all_shows_the_help(tmp_path: Path) -> None:
    done = nornir(state=tmp_path)
    assert done.returncode == 2
    assert "Usage:" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_site_and_speaks_json(verb: str) -> None:
    assert ({"--json"} if verb in OF_NO_SITE else {"--site", "--json"}) <= options(GROUP.commands[verb])


@pytest.mark.parametrize(("name", "below"), NESTED)
def test_every_verb_of_a_group_takes_a_site_and_speaks_json(name: str, below: str) -> None:
    assert {"--site", "--json"} <= options(GROUP.commands[name].commands[below])


@pytest.mark.parametrize("verb", SWITCH_VERBS)
def test_verbs_that_reach_switches_can_be_narrowed(verb: str) -> None:
    assert {"--plane", "--limit", "--workers"} <= options(GROUP.commands[verb])


@pytest.mark.parametrize("verb", ["push", "rollback"])
def test_verbs_that_change_switches_can_be_told_yes(verb: str) -> None:
    assert "--yes" in options(GROUP.commands[verb])


def test_shell_completion_can_be_installed(tmp_path: Path) -> None:
    shown = nornir("--help", state=tmp_path).stdout
    assert "--install-completion" in shown
    script = subprocess.run(
        [str(NORNIR)],
        env={**os.environ, "_NORNIR_COMPLETE": "source_bash"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert "complete" in script
    assert "nornir" in script


def test_help_of_a_verb_loads_no_library_that_talks_to_switches() -> None:
    """An operator who mistypes an option waits for none of them."""
    code = (
        "import sys\nsys.argv = ['nornir', 'design', '--help']\nfrom nornir_tasks.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print(sorted(set({SLOW_TO_IMPORT!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "--site" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"


def test_our_own_command_line_loads_pydantic_nowhere() -> None:
    code = "import sys, nornir_tasks.cli.main, nornir_tasks.cli.app\nprint('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"


def test_design_loads_no_library_that_talks_to_switches() -> None:
    code = (
        "import sys\nfrom nornir_tasks.usecases.site import load\nload('lab')\n"
        "print(sorted({'napalm', 'netmiko', 'nornir', 'paramiko', 'requests', 'pyeapi'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("verb", ["render", *SWITCH_VERBS])
def test_an_unknown_plane_is_a_wrong_intent_that_names_the_known_ones(verb: str, site: Path, tmp_path: Path) -> None:
    done = nornir(verb, "--plane", "compyute", "--site", str(site), state=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "no such plane: compyute" in done.stderr
    assert "expected: one of compute" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("verb", ["render", *SWITCH_VERBS])
def test_a_limit_that_matches_nothing_names_switches_there_are(verb: str, site: Path, tmp_path: Path) -> None:
    done = nornir(verb, "--limit", "leaf-g1-r0,laef-*", "--site", str(site), state=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "matches no switch: laef-*" in done.stderr
    assert "leaf-g1-r0" in done.stderr


def test_wrong_words_write_nothing(site: Path, tmp_path: Path) -> None:
    nornir("render", "--limit", "nobody", "--out", str(tmp_path / "out"), "--site", str(site), state=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("verb", ["design", *SWITCH_VERBS, "rollback", "lab up", "lab down", "lab status"])
def test_an_unknown_site_names_the_known_ones(verb: str, tmp_path: Path) -> None:
    done = nornir(*verb.split(), "--site", "nowhere", state=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "--site nowhere: no such site" in done.stderr
    assert "lab" in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["design", "lab status", "lab down"])
def test_a_name_is_answered_once_with_the_folder_it_was_taken_for(words: str, site: Path, tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    shutil.copytree(site, tmp_path / "inventory" / "lab")
    done = nornir(*words.split(), "--json", state=tmp_path / "state", cwd=tmp_path)
    assert json.loads(done.stdout)["site_directory"] == str(tmp_path / "inventory" / "lab")
    assert done.stderr.splitlines() == [f"site lab: inventory/lab, not lab or {ROOT / 'inventory/lab'}"]
    built_in = nornir(*words.split(), "--site", "lab-breakout", state=tmp_path / "state", cwd=tmp_path)
    assert built_in.stderr.splitlines() == [f"site lab-breakout: built in, {ROOT / 'inventory/lab-breakout'}"]


def test_a_path_is_taken_without_a_word(site: Path, tmp_path: Path) -> None:
    done = nornir("design", "--json", "--site", str(site), state=tmp_path)
    assert json.loads(done.stdout)["site_directory"] == str(site)
    assert done.stderr == ""


def test_a_folder_without_an_intent_is_no_site(tmp_path: Path) -> None:
    done = nornir("design", "--site", str(tmp_path), state=tmp_path)
    assert done.returncode == 3
    assert "no fabric.yml here" in done.stderr


@pytest.mark.parametrize(
    ("words", "wrong"),
    [("pusch", "pusch"), ("push --plain", "--plain"), ("push --workers 0", "--workers"), ("design extra", "extra")],
)
def test_a_wrong_command_line_ends_with_2_and_says_what_is_wrong(words: str, wrong: str, tmp_path: Path) -> None:
    done = nornir(*words.split(), state=tmp_path)
    assert done.returncode == 2, done.stderr
    assert wrong in done.stderr


@pytest.mark.parametrize("verb", SWITCH_VERBS)
def test_a_lab_that_is_down_ends_with_10(verb: str, site: Path, tmp_path: Path) -> None:
    done = nornir(verb, "--site", str(site), state=tmp_path)
    assert done.returncode == 10, done.stderr


def test_nothing_to_roll_back_is_refused(site: Path, tmp_path: Path) -> None:
    done = nornir("rollback", "--yes", "--site", str(site), state=tmp_path)
    assert done.returncode == 7
    assert "no push that could be rolled back" in done.stderr


def test_design_prints_one_json_document_with_the_promised_counts(site: Path, tmp_path: Path) -> None:
    done = nornir("design", "--json", "--site", str(site), state=tmp_path)
    found = json.loads(done.stdout)
    tiers = found["planes"]["compute"]["tiers"]
    assert {name: tier["switches"] for name, tier in tiers.items()} == {"leaf": 8, "spine": 2, "core": 0}
    assert {"oversubscription", "host_links", "fabric_links"} <= set(found["planes"]["compute"])
    assert found["planes"]["compute"]["fabric"] == "compute"
    assert found["fabrics"]["compute"]["planes"] == ["compute"]
    assert found["fabrics"]["compute"]["tiers"] == tiers
    assert {"switches", "links", "cables", "optics"} <= set(found["totals"])


def test_render_writes_one_file_per_device_in_the_form_of_its_system(site: Path, tmp_path: Path) -> None:
    done = nornir("render", "--json", "--out", str(tmp_path / "out"), "--site", str(site), state=tmp_path)
    written = {Path(path).name for path in json.loads(done.stdout)["files"]}
    assert written == {each.name for each in (tmp_path / "out").glob("[!.]*")}
    assert {"leaf-g1-r0.cfg", "leaf-g1-r1.cfg", "spine-1.yaml"} <= written
    assert len(written) == 10


def test_render_after_the_site_shrank_removes_what_it_wrote_for_switches_that_are_gone(
    site: Path, tmp_path: Path
) -> None:
    render = ("render", "--out", str(tmp_path / "out"), "--site", str(site))
    assert nornir(*render, state=tmp_path).returncode == 0
    (tmp_path / "out" / "leaf-g1-r9.cfg").write_text("somebody else's")
    (tmp_path / "out" / "leaf-g1-r6.cfg").write_text("edited")
    file = site / "fabric.yml"
    file.write_text(of_two_rails(file.read_text()))
    done = nornir(*render, state=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == [
        "5 removed, of switches that are gone: leaf-g1-r2.cfg, leaf-g1-r3.cfg, leaf-g1-r4.cfg, leaf-g1-r5.cfg, "
        "leaf-g1-r7.cfg",
        f"4 files in {tmp_path / 'out'}",
    ]
    assert "leaf-g1-r6.cfg: of no switch of this site any more, but edited since it was rendered; left" in done.stderr
    kept = {"leaf-g1-r0.cfg", "leaf-g1-r1.cfg", "spine-1.yaml", "spine-2.yaml"}
    assert {each.name for each in (tmp_path / "out").glob("[!.]*")} == kept | {"leaf-g1-r9.cfg", "leaf-g1-r6.cfg"}
    (tmp_path / "out" / "spine-1.yaml").write_text("edited")
    refused = nornir(*render, state=tmp_path)
    assert refused.returncode == 7
    assert "spine-1.yaml: was not rendered, or was edited since; nothing was written" in refused.stderr
    assert nornir(*render, "--overwrite", state=tmp_path).returncode == 0
