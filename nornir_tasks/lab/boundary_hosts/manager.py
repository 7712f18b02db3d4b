"""The boundary's hosts of one site's lab: up, down, status.

They are in the folder ``lab/boundary`` of the site's state, one folder each, with what the lab gave them, and
``hosts.yml``, the access data that the Ansible inventory reads. What runs is found by the lab's namespaces.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.lab.boundary_hosts.container import Container, connecting
from nornir_tasks.lab.boundary_hosts.credentials import Credentials, public
from nornir_tasks.lab.boundary_hosts.image import ensure_root
from nornir_tasks.lab.boundary_hosts.plan import CERTIFIED, OUTSIDE, TOOL, BoundaryPlan, Host, Station
from nornir_tasks.lab.boundary_hosts.requirements import open_files, remove_groups
from nornir_tasks.lab.boundary_hosts.wires import Wires
from nornir_tasks.lab.lock import locked

FOLDER = "boundary"
HOSTS = "hosts.yml"
RECORD = "plan.json"
ANSWER = Path(__file__).parent / "answer.py"
READY_TIMEOUT_S = 20.0
ANSIBLE_TIMEOUT_S = 60
BALANCER_CONNECTIONS, FILES_PER_CONNECTION, FILES_BESIDE = 20_000, 2, 1_000
"""Role load_balancer's default; HAProxy has two sockets for each (its manual, "maxconn"), and others beside."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of one host."""

    name: str
    running: bool
    ssh: str
    """The command that comes in as Ansible does."""
    log: str


class BoundaryHosts:
    """The boundary's hosts in a site's state folder."""

    def __init__(self, state_directory: Path) -> None:
        self.directory = state_directory / "lab" / FOLDER
        self._lock = state_directory / "boundary.lock"
        self.credentials = Credentials(self.directory / "given")
        self.wires = Wires(self.directory)

    @property
    def ssh(self) -> list[str]:
        """The command that connects to a host by name, as Ansible's account."""
        return ["ssh", "-F", str(self.directory / "ssh_config")]

    def container(self, name: str) -> Container:
        """The host with this name, running or not."""
        return Container(name, self.directory / name)

    def up(self, plan: BoundaryPlan, say: Say) -> int:
        """Run these hosts, all reachable by SSH. How many were started; 0 if nothing had to change.

        A host that had been off starts with what it had written, and with nothing that a restart would have ended.
        Raises LabError for hosts of another design, or that do not boot; requires ``check_requirements`` first.
        """
        self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock, "another command brings up this lab's boundary already", say):
            return self._up(plan, say)

    def down(self) -> int:
        """End every host and station, and remove all of it. How many hosts there were."""
        names = self.names()
        left = self.wires.left()
        if not self.directory.exists() and not left:
            return 0
        if left and os.geteuid() != 0:
            what = "hosts of the boundary have network namespaces here, which only root can remove"
            raise LabError(Problem(str(self.directory), what, found=", ".join(left[:3]), hint="sudo nornir lab down"))
        self.wires.remove()
        remove_groups(self.wires.prefix)
        shutil.rmtree(self.directory, ignore_errors=True)
        return len(names)

    def names(self) -> tuple[str, ...]:
        """Every host, in the order of the plan."""
        return tuple(each["name"] for each in self._record().get("hosts", ()))

    def status(self) -> tuple[HostStatus, ...]:
        """The state of every host."""
        return tuple(
            HostStatus(name, each.pid() is not None, shlex.join([*self.ssh, name]), str(each.log))
            for name in self.names()
            for each in (self.container(name),)
        )

    def cut_off(self, host: str) -> None:
        """Pull all cables of a host."""
        self.wires.cable(host, is_in=False)

    def plug_in(self, host: str) -> None:
        """Plug all cables of a host in again."""
        self.wires.cable(host, is_in=True)

    def in_zone(self, station: str, *command: str) -> list[str]:
        """A command at a station, as words for this machine."""
        return ["ip", "netns", "exec", self.wires.namespace(station), *command]

    # -- up --------------------------------------------------------------------------------------------------------

    def _up(self, plan: BoundaryPlan, say: Say) -> int:
        record, wanted = self._record(), json.loads(json.dumps(asdict(plan)))
        if record and record != wanted:
            what, hint = (
                "the boundary's hosts are from an earlier design of this site",
                "nornir lab down, then nornir lab up",
            )
            raise LabError(Problem(str(self.directory), what, hint=hint))
        image = ensure_root(say)
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.credentials.make(plan.people, plan.published)
        if not record:  # nothing was whole before: what a killed command left is no use
            self.wires.lay(plan)
            for host in plan.hosts:
                self.container(host.name).remove()
                self.container(host.name).make(host, image, self.credentials)
            (self.directory / RECORD).write_text(json.dumps(wanted, indent=1), encoding="utf-8")
        elif not self.wires.is_whole(plan):
            for host in plan.hosts:
                self.container(host.name).stop()
            self.wires.lay(plan)
        self._write_ways(plan)
        for station in plan.stations:
            self._have_answers(station)
        begun = [host for host in plan.hosts if self.container(host.name).pid() is None]
        self._start(begun, plan)
        started = time.monotonic()
        for host in plan.hosts:
            self.container(host.name).wait(self.ssh)
            if host in begun:
                say(f"{host.name}: up after {time.monotonic() - started:.0f} s; {shlex.join([*self.ssh, host.name])}")
        return len(begun)

    def _start(self, hosts: Iterable[Host], plan: BoundaryPlan) -> None:
        for host in hosts:
            self.wires.renew(plan, host)
            self.container(host.name).start(self.wires.namespace(host.name), f"{self.wires.prefix}-{host.name}")

    def _have_answers(self, station: Station) -> None:
        """The station there answers, if it has ports to answer at."""
        if not (station.tcp or station.udp) or self.wires.is_at_work(station.name):
            return
        ports = (",".join(map(str, each)) for each in (station.tcp, station.udp))
        command = self.in_zone(station.name, sys.executable, "-I", str(ANSWER), *ports)
        with (self.directory / f"{station.name}.log").open("w+b") as log:
            subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=programs.environment(),
            )
            deadline = time.monotonic() + READY_TIMEOUT_S
            while not Path(log.name).read_bytes().startswith(b"ready"):
                if time.monotonic() > deadline:
                    output = Path(log.name).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                    raise LabError(Problem(station.name, "no program answers at this station", found=" ".join(output)))
                time.sleep(0.02)

    def _record(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.directory / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    # -- how they are reached --------------------------------------------------------------------------------------

    def _write_ways(self, plan: BoundaryPlan) -> None:
        known = [
            f"{address} {public(self.container(host.name).host_key)}\n"
            for host in plan.hosts
            for address in filter(None, (host.address, host.entry))
        ]
        (self.directory / "known_hosts").write_text("".join(known), encoding="utf-8")
        config = self.directory / "ssh_config"
        config.write_text("\n".join(self._ssh_config(plan)) + "\n", encoding="utf-8")
        ways = {host.name: {**self._way(host, config), **self._given(host, plan)} for host in plan.hosts}
        (self.directory / HOSTS).write_text(yaml.safe_dump(ways, sort_keys=False, width=1000), encoding="utf-8")
        (self.directory / HOSTS).chmod(0o600)

    def _ssh_config(self, plan: BoundaryPlan) -> Iterator[str]:
        """``ssh -F ssh_config firewall-1`` as Ansible; ``ssh -F ssh_config ada@people.bastion-1`` as people do."""
        for host in plan.hosts:
            yield f"Host {host.name}\n  HostName {host.address}\n  User {host.account}"
            yield from self._by_tool(host)
            if host.entry:
                yield f"Host people.{host.name}\n  HostName {host.entry}"
        for name, source in plan.people.items():
            yield f"Match user {name}"
            yield f'  IdentityFile "{self.credentials.person(name)}"'
            yield f"  ProxyCommand {shlex.join(connecting(self.wires.namespace(OUTSIDE), source))}"
        yield f'Host *\n  ProxyUseFdpass yes\n  IdentitiesOnly yes\n  UserKnownHostsFile "{self.directory}/known_hosts"'
        yield "  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  ConnectTimeout 20\n  LogLevel ERROR"

    def _by_tool(self, host: Host) -> Iterator[str]:
        yield f'  IdentityFile "{self.credentials.tool}"\n  BatchMode yes'
        if host.account == CERTIFIED:
            yield f'  CertificateFile "{self.credentials.tool}-cert.pub"'
        yield f"  ProxyCommand {shlex.join(connecting(self.wires.namespace(TOOL)))}"

    @staticmethod
    def _way(host: Host, config: Path) -> dict[str, Any]:
        return {
            "ansible_host": host.name,
            "ansible_user": host.account,
            "ansible_become": host.account == CERTIFIED,
            "ansible_ssh_common_args": f"-F {shlex.quote(str(config))}",
            "ansible_timeout": ANSIBLE_TIMEOUT_S,
            "ansible_ssh_args": "-o ControlMaster=auto -o ControlPersist=60s",
            "mitogen_ssh_compression": False,
        }

    def _given(self, host: Host, plan: BoundaryPlan) -> dict[str, Any]:
        """What a site says of these hosts beyond its intent, and what hosts that share a kernel have not."""
        given: dict[str, Any] = {"firewall_kernel_at_run_time": False}
        connections = (open_files() - FILES_BESIDE) // FILES_PER_CONNECTION
        if connections < BALANCER_CONNECTIONS:
            given["load_balancer_connections"] = connections
        if plan.published:
            certificates = {name: str(self.credentials.certificate(name)) for name in plan.published}
            given["load_balancer_certificates"] = certificates
        if host.entry:
            people: Mapping[str, str] = plan.people
            given["bastion_tool_ca"] = [public(self.credentials.authority)]
            given["bastion_keys"] = {name: [public(self.credentials.person(name))] for name in people}
            given["bastion_totp_secrets"] = {name: self.credentials.second_factor(name) for name in people}
        return given
