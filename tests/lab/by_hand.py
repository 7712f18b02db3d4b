"""A person at a switch: changes through each OS's own API with plain requests; no code of the product."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
import yaml

_APPLIED_WITHIN_S = 60.0


@dataclass
class Hand:
    """One switch of a running lab, reached as its vendor documents it."""

    os: str
    url: str
    auth: tuple[str, str]
    ca: str

    def _post(self, path: str, body: Any, **headers: str) -> Any:
        answer = requests.post(self.url + path, json=body, auth=self.auth, verify=self.ca, headers=headers, timeout=20)
        assert answer.status_code == 200, f"{answer.status_code} {answer.text}"
        return answer.json()

    def configure(self, *lines: str) -> None:
        """CLI lines on EOS or NX-OS, in configuration mode."""
        if self.os == "eos":
            self.eapi("configure", *lines, "end")
        else:
            self.nxapi("configure terminal", *lines, "end")

    def eapi(self, *commands: str, form: str = "text") -> list[Any]:
        params = {"version": 1, "cmds": ["enable", *commands], "format": form}
        answer = self._post("/command-api", {"jsonrpc": "2.0", "method": "runCmds", "params": params, "id": "hand"})
        assert "error" not in answer, answer["error"]
        return answer["result"][1:]

    def nxapi(self, *commands: str, method: str = "cli_ascii") -> list[Any]:
        body = [
            {"jsonrpc": "2.0", "method": method, "params": {"cmd": command, "version": 1}, "id": number}
            for number, command in enumerate(commands, start=1)
        ]
        answers = self._post("/ins", body, **{"Content-Type": "application/json-rpc"})
        answers = answers if isinstance(answers, list) else [answers]
        assert not any("error" in answer for answer in answers), answers
        return [(answer["result"] or {}).get("msg") for answer in answers]

    def shown(self, command: str) -> Any:
        """What a show command says, as data; on Cumulus Linux the operational state at a path."""
        if self.os == "eos":
            return self.eapi(command, form="json")[0]
        if self.os == "nxos":
            body = [{"jsonrpc": "2.0", "method": "cli", "params": {"cmd": command, "version": 1}, "id": 1}]
            answers = self._post("/ins", body, **{"Content-Type": "application/json-rpc"})
            return (answers[0] if isinstance(answers, list) else answers)["result"]["body"]
        url, rev = f"{self.url}/nvue_v1/{command}", {"rev": "operational"}
        answer = requests.get(url, params=rev, auth=self.auth, verify=self.ca, timeout=20)
        if answer.status_code >= 500:  # no assertion: who waits for a state does not wait for this to pass
            raise RuntimeError(f"{command}: {answer.status_code} {answer.text}")
        return answer.json()

    def nvue(self, patch: dict[str, Any] | None = None, delete: str | None = None) -> None:
        """One revision: PATCH the root with a subtree, or DELETE a path; apply it at once."""
        base = self.url + "/nvue_v1"
        session = requests.Session()
        session.trust_env = False  # a CA bundle of the environment would stand above the one given here
        session.auth, session.verify = self.auth, self.ca
        (revision,) = session.post(f"{base}/revision", timeout=20).json()
        if patch is not None:
            answer = session.patch(f"{base}/", params={"rev": revision}, json=patch, timeout=20)
            assert answer.ok, answer.text
        if delete is not None:
            answer = session.delete(f"{base}/{delete}", params={"rev": revision}, timeout=20)
            assert answer.ok, answer.text
        body = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}
        session.patch(f"{base}/revision/{revision}", json=body, timeout=20)
        deadline = time.monotonic() + _APPLIED_WITHIN_S
        while time.monotonic() < deadline:
            state = session.get(f"{base}/revision/{revision}", timeout=20).json()["state"]
            if state.startswith("applied"):
                return
            if state == "invalid":
                break
            time.sleep(0.05)
        raise AssertionError(f"revision {revision} stayed {state}")

    def running(self) -> str:
        """The whole running configuration as the switch prints it."""
        if self.os == "eos":
            return str(self.eapi("show running-config")[0]["output"])
        if self.os == "nxos":
            rows = str(self.nxapi("show running-config")[0]).splitlines(keepends=True)
            return "".join(row for row in rows if not row.startswith("!"))  # time of day and of the last change
        return yaml.safe_dump(self.applied(), sort_keys=True)

    def applied(self) -> Any:
        """On Cumulus Linux: the whole configuration that is applied, as data."""
        answer = requests.get(
            f"{self.url}/nvue_v1/",
            params={"rev": "applied", "filled": "false", "expand": "true"},  # else equal ports come as swp9-64
            auth=self.auth,
            verify=self.ca,
            timeout=20,
        )
        return answer.json()


def hands(lab: Path) -> dict[str, Hand]:
    """Every switch of the lab whose folder this is."""
    spec = json.loads((lab / "spec.json").read_text())
    password = Path(spec["password_file"]).read_text().strip()
    return {
        each["name"]: Hand(
            each["os"], f"https://{each['address']}:{each['api_port']}", (spec["username"], password), spec["ca"]
        )
        for each in spec["devices"]
    }
