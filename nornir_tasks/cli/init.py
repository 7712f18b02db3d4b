"""``nornir init``: a site of one's own, from a few answers or from a built-in one; ``--update`` keeps it up."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from nornir_tasks.usecases.start.answers import Answers

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The site's folder; made if need be. Default: this one.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Update = Annotated[
    bool, typer.Option("--update", help="Add to devices.yml of DIR what its design has gained; nothing else changes.")
]
List = Annotated[bool, typer.Option("--list", help="Print what there is for --from, --planes, --leaf and --nic.")]
Example = Annotated[str | None, typer.Option("--from", metavar="EXAMPLE", help="Copy this built-in site instead.")]
Name = Annotated[str | None, typer.Option(help="What the site is called; default: as its folder.")]
Hosts = Annotated[int | None, typer.Option(min=1, help="GPU hosts that are there; default: 4.")]
Most = Annotated[int | None, typer.Option("--max", min=1, help="GPU hosts that it is laid out for; default: --hosts.")]
Nics = Annotated[int | None, typer.Option(min=1, max=16, help="NIC ports of each for GPUs, one a rail; default: 8.")]
Speed = Annotated[str | None, typer.Option(help="Of each of these NIC ports; default: 400G.")]
Planes = Annotated[str | None, typer.Option(help="Planes with commas between, of those that --list names.")]
Leaf = Annotated[
    str | None,
    typer.Option(metavar="OS:MODEL", help="Leaves; an OS or a model is enough. Default: what fits the speed best."),
]
Spine = Annotated[str | None, typer.Option(metavar="OS:MODEL", help="The same of spines. Default: as the leaves.")]
Nic = Annotated[str | None, typer.Option(metavar="MODEL", help="Of the NICs; hosts need it, switches do not.")]
Ratio = Annotated[str, typer.Option("--oversubscription", help="Hosts' bandwidth of a leaf over its uplinks, at most.")]
Service = Annotated[str | None, typer.Option("--ci", help="github, gitlab or none; default: github.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: defaults for all that is not given.")]


def init(
    folder: Folder = Path(),
    hosts: Hosts = None,
    most: Most = None,
    nics: Nics = None,
    speed: Speed = None,
    leaf: Leaf = None,
    spine: Spine = None,
    nic: Nic = None,
    planes: Planes = None,
    oversubscription: Ratio = "1",
    example: Example = None,
    name: Name = None,
    service: Service = None,
    update: Update = False,
    listed: List = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Begin a site of your own in DIR: an intent that can be designed, and all files beside it.

    On a terminal it asks for what is not given, elsewhere it takes the defaults, and says which. Nothing that is there
    is written over, and nothing is left behind where it fails.
    """
    given = {"hosts": hosts, "nics": nics, "speed": speed, "planes": planes, "leaf": leaf}
    others = {"max": most, "spine": spine, "nic": nic, **given}
    sized = [f"--{key}" for key, value in others.items() if value is not None]
    if listed:
        _list(json=json)
    elif update:
        if example or name or service or sized:
            raise typer.BadParameter("--update takes all from the site; it goes with none of the other options")
        _update(folder, json=json)
    else:
        if example and sized:
            raise typer.BadParameter(f"--from has all of it already; it does not go with {', '.join(sized)}")
        asks = sys.stdin.isatty() and not yes
        given |= {"name": name, "ci": service}
        if example:
            given = {"name": name, "ci": service}
        answers = _Answers(folder, given, asks=asks)
        _begin(
            folder, answers, example, {"most": most, "spine": spine, "nic": nic, "ratio": oversubscription}, json=json
        )


class _Answers:
    """What was given, and for the rest what is answered at the terminal or the default."""

    def __init__(self, folder: Path, given: dict[str, Any], *, asks: bool) -> None:
        from nornir_tasks.files import starter
        from nornir_tasks.usecases.start.answers import Answers, site_name

        self.taken: dict[str, Any] = {}
        self.services = (*starter.services(), "none")
        offered = starter.offer().planes
        usual = Answers(site="site", planes=())
        self._defaults = {
            "name": site_name(folder.absolute().resolve().name),
            "hosts": usual.hosts,
            "nics": usual.nics,
            "speed": f"{usual.speed_gbps}G",
            "planes": ",".join(name for name, each in offered.items() if each.default),
            "leaf": "",
            "ci": self.services[0],
        }
        self._questions = {
            "name": "What is the site called?",
            "hosts": "How many GPU hosts?",
            "nics": "How many NIC ports has each for its GPUs?",
            "speed": "How fast is each of them?",
            "planes": f"Which planes, with commas between ({', '.join(offered)})?",
            "leaf": "Which leaves, as OS:MODEL or OS? Empty: what fits best",
            "ci": f"Continuous integration ({', '.join(self.services)})?",
        }
        self.values = {key: self._value(key, given[key], asks=asks) for key in self._questions if key in given}

    def _value(self, key: str, given: Any, *, asks: bool) -> Any:  # noqa: ANN401
        check = _CHECKS.get(key, str)
        if given is not None:
            return check(given)
        default = self._defaults[key]
        if asks:
            return typer.prompt(self._questions[key], default=default, value_proc=_again(check), err=True)
        self.taken[key] = default
        return check(default)


def _whole(text: Any) -> int:  # noqa: ANN401 - a number, or what was typed
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise typer.BadParameter(f"{text!r} is not a whole number above 0")
    return number


def _speed(text: str) -> int:
    from nornir_tasks.usecases.start.answers import gbps_of

    return gbps_of(text)


def _planes(text: str) -> tuple[str, ...]:
    from nornir_tasks.usecases.start.answers import planes_of

    return planes_of(text)


def _leaf(text: str) -> Any:  # noqa: ANN401 - Model, which is imported late
    from nornir_tasks.usecases.start.answers import Model, model_of

    return model_of("--leaf", text) if text else Model()


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "hosts": _whole,
    "nics": _whole,
    "speed": _speed,
    "planes": _planes,
    "leaf": _leaf,
}
"""Question -> what makes its answer a value, or refuses it."""


def _again(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same for a question at the terminal, which is put again after a wrong answer."""
    from nornir_tasks.errors import IntentError

    def checked(text: Any) -> Any:  # noqa: ANN401
        try:
            return check(text)
        except IntentError as error:
            raise typer.BadParameter(str(error)) from error

    return checked


def _begin(folder: Path, answers: _Answers, example: str | None, more: dict[str, Any], *, json: bool) -> None:
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.files.resources import shown
    from nornir_tasks.usecases.start import create

    service = answers.values["ci"]
    if service not in answers.services:
        raise typer.BadParameter(f"--ci {service}: one of {', '.join(answers.services)}")
    if answers.taken:
        words = (f"--{key} {value}" if value else f"--{key} as fits best" for key, value in answers.taken.items())
        err.print(f"not given, so by default: {', '.join(words)}")
    of_service = None if service == "none" else service
    site = answers.values["name"]
    if example:
        made = create.from_example(folder, example, site, of_service)
    else:
        made = create.from_answers(folder, _as_answers(site, answers.values, more), of_service, _looking)
    commands = _next(folder)
    if json:
        print_json(
            "init",
            {
                "folder": str(folder.absolute()),
                "site": site,
                "files": list(made.files),
                "switches": made.switches,
                "defaults": answers.taken,
                "notes": list(made.notes),
                "next": commands,
            },
        )
        return
    switches = f"{made.switches} switch{'es' * (made.switches != 1)}"
    out.print(f"site {site} with {switches}, in {shown(folder)}: {', '.join(made.files)}")
    for note in made.notes:
        out.print(f"note: {note}")
    out.print("\nNext, in the built-in lab:")
    out.print("\n".join(f"  {each}" for each in commands))
    out.print(f"\nThen make it real: the top of {folder / 'devices.yml'} says how.")


def _looking(fabric: str) -> None:
    from nornir_tasks.cli.console import err

    if sys.stderr.isatty():
        err.print(f"looking for the switches of {fabric} ...")


def _as_answers(site: str, values: dict[str, Any], more: dict[str, Any]) -> "Answers":
    from nornir_tasks.usecases.start.answers import Answers, Model, model_of

    return Answers(
        site=site,
        planes=values["planes"],
        hosts=values["hosts"],
        most=more["most"],
        nics=values["nics"],
        speed_gbps=values["speed"],
        leaf=values["leaf"],
        spine=model_of("--spine", more["spine"]) if more["spine"] else Model(),
        nic=more["nic"],
        oversubscription=more["ratio"],
    )


def _next(folder: Path) -> list[str]:
    """What to type, in this order, where ``nornir init`` was typed."""
    import shlex

    from nornir_tasks.files.site import find_site, is_name

    text = str(folder)
    if is_name(text) and find_site(text) != folder.resolve():  # another site of that name is nearer
        text = f"./{text}"
    site = f"--site {shlex.quote(text)}"
    return [f"nornir {each} {site}" for each in ("design", "lab up", "push", "validate", "lab down")]


def _update(folder: Path, *, json: bool) -> None:
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.start.update import updated

    done = updated(folder)
    if json:
        print_json("init-update", {"folder": str(done.folder), "added": list(done.added), "gone": list(done.gone)})
        return
    if done.added:
        out.print(f"added to devices.yml, to be written by you: {', '.join(done.added)}")
    else:
        out.print("devices.yml has every switch of the design")
    if done.gone:
        out.print(f"in devices.yml, and no longer in the design; left there: {', '.join(done.gone)}")


def _list(*, json: bool) -> None:
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.files import starter
    from nornir_tasks.usecases.start.answers import known_nics
    from nornir_tasks.usecases.start.create import examples
    from nornir_tasks.usecases.start.fitting import known_leaves

    planes = {name: each.about for name, each in starter.offer().planes.items()}
    parts = {"from": examples(), "planes": planes, "leaf": known_leaves(), "nic": known_nics()}
    if json:
        print_json("init-list", {"options": parts})
        return
    for option, known in parts.items():
        width = max(map(len, known))
        out.print(f"--{option}")
        out.print("\n".join(f"  {name:{width}}  {about}" for name, about in known.items()))
