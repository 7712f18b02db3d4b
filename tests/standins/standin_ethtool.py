"""Stand-in for ethtool 6.1: -i, -a, -A and --show-priv-flags as tests/recorded/ethtool has them."""

from __future__ import annotations

import errno
import sys

from nic_state import Nic, log_call, not_recorded

MLX5_FLAGS = {
    "rx_cqe_moder": "on",
    "tx_cqe_moder": "off",
    "rx_cqe_compress": "off",
    "rx_striding_rq": "on",
    "rx_no_csum_complete": "off",
    "xdp_tx_mpwqe": "on",
    "skb_tx_mpwqe": "on",
    "tx_port_ts": "off",
}
UNSUPPORTED = "netlink error: Operation not supported"


def refuse(words: str, exit_code: int) -> int:
    print(words, file=sys.stderr)
    return exit_code


def on_off(value: bool) -> str:
    return "on" if value else "off"


def main(words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call("ethtool", words)
    if words == ["--version"]:
        print("ethtool version 6.1")
        return 0
    option, name, *rest = [*words, "", ""]
    rest = [each for each in rest if each]
    known = {"-i": show_driver, "-a": show_pause, "-A": set_pause, "--show-priv-flags": show_flags}
    if option not in known or not name or (rest and option != "-A"):
        not_recorded("ethtool", *words)
    try:
        with Nic(name).opened() as nic:
            return known[option](nic, rest)
    except OSError as error:
        if error.errno == errno.ENODEV and option == "-i":
            return refuse("Cannot get driver information: No such device", 71)
        if error.errno == errno.ENODEV and option == "-A":
            print("netlink error: no device matches name (offset 24)", file=sys.stderr)
            return refuse("netlink error: No such device", 76)
        not_recorded("ethtool", *words)
    return 1


def show_driver(nic: Nic, rest: list[str]) -> int:
    state = nic.state
    known = {
        "mlx5_core": ("6.1.0", "26.43.2566 (MT_0000000531)", "yes", "yes"),
        "virtio_net": ("1.0.0", "", "no", "no"),
    }
    if state["driver"] not in known:
        return refuse("Cannot get driver information: Operation not supported", 71)
    version, firmware, test, flags = known[state["driver"]]
    print(f"driver: {state['driver']}\nversion: {version}\nfirmware-version: {firmware}\nexpansion-rom-version: ")
    print(f"bus-info: {state['pci']}\nsupports-statistics: yes\nsupports-test: {test}")
    print(f"supports-eeprom-access: no\nsupports-register-dump: no\nsupports-priv-flags: {flags}")
    return 0


def show_pause(nic: Nic, rest: list[str]) -> int:
    if not nic.mlx5:
        return refuse(UNSUPPORTED, 1)
    rx, tx = nic.state["pause"]
    print(f"Pause parameters for {nic.name}:\nAutonegotiate:\toff\nRX:\t\t{on_off(rx)}\nTX:\t\t{on_off(tx)}\n")
    return 0


def set_pause(nic: Nic, rest: list[str]) -> int:
    """Nothing is said of a set that took. One that changes nothing was not recorded."""
    if not nic.mlx5:
        return refuse(UNSUPPORTED, 76)
    wanted = dict(zip(rest[::2], rest[1::2], strict=False))
    if len(rest) % 2 or not wanted or not set(wanted) <= {"rx", "tx"} or not set(wanted.values()) <= {"on", "off"}:
        not_recorded("ethtool -A", nic.name, *rest)
    now = dict(zip(("rx", "tx"), nic.state["pause"], strict=True))
    after = {**now, **{way: value == "on" for way, value in wanted.items()}}
    if after == now or "pause" in nic.state["refuses"]:
        not_recorded("ethtool -A", nic.name, *rest, "where that is so already or is refused")
    nic.state["pause"] = [after["rx"], after["tx"]]
    return 0


def show_flags(nic: Nic, rest: list[str]) -> int:
    if not nic.mlx5:
        return refuse(UNSUPPORTED, 1)
    print(f"Private flags for {nic.name}:")
    for flag, value in MLX5_FLAGS.items():
        print(f"{flag:<19}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
