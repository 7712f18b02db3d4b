"""Cables and optics: what errs, what is corrected ever more, what went down and up, what is dark or hot."""

from collections.abc import Iterator, Mapping
from math import log1p
from statistics import median

from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters.soaked import Hit, Soak, number
from nornir_tasks.platforms.counted import Counter, Place

WORST_BER = 1e-12
"""Bit errors that a link may have after correction (data sheets of 400G optics: "Post-FEC Bit Error Ratio 1x10-12",
dwdmnetwork.com, 400G QSFP-DD eDR4). Fewer errors than the line's bits times this are within what it promises."""
WORST_BER_BEFORE = 2.4e-4
"""Bit errors that RS(544,514) can correct (same data sheet: "Pre-FEC Bit Error Ratio 2.4x10-4")."""
MARGIN_BEFORE = 10.0
"""How far from that a link has to stay: chosen, a decade."""
CODEWORD_BITS = 5440
"""Bits of one RS(544,514) codeword: 544 symbols of 10 bits (IEEE 802.3 clause 91)."""
GROWS_BY = 10.0
"""Corrections in the soak over those of the device's whole life, from which on a link gets worse: chosen."""
FEW_CORRECTED_BER = 1e-8
"""Below this nothing is said of a trend: chosen; links of PAM4 always correct something (juniper.net, Optics Pre-FEC
BER Rate)."""
DARK_DBM, BRIGHT_DBM = -10.0, 5.5
"""Light of one lane outside which no optic of these links works: chosen, wider than what IEEE 802.3 gives for any
receiver of 100GBASE-DR to 400GBASE-FR4 (from memory: -5.9 and 4.0 dBm for DR4)."""
LANES_APART_DB = 3.0
"""How much less light one lane may have than the middle of its port: chosen, half of it."""
HOT_C = 70.0
"""Case temperature of optics of the commercial class (data sheets: "Operating case temperature: 0 to 70 C")."""

ERRORS = About(
    name="link-errors",
    each="switch, and host",
    reads=(Counter.FEC_UNCORRECTED, Counter.CRC_ERRORS, Counter.SYMBOL_ERRORS),
    wanted="the cabling plan",
    passes=f"no more errors than one in {1 / WORST_BER:.0e} bits of the line, and no codeword that could not be "
    "corrected",
    fails="more: what the cable or optic garbles is lost",
)
FEC = About(
    name="fec-trend",
    each="switch",
    reads=(Counter.FEC_CORRECTED,),
    wanted="the speed of the link",
    passes=f"corrections stay a factor of {MARGIN_BEFORE:.0f} below what the code can do, and are not "
    f"{GROWS_BY:.0f} times those of the time since the switch started",
    fails="they do not: the cable will lose packets next",
)
FLAPS = About(
    name="link-changes",
    each="switch, and host",
    reads=(Counter.LINK_CHANGES,),
    wanted="none",
    passes="no port of the design went down or up",
    fails="one did",
)
OPTICS = About(
    name="optics",
    each="switch",
    reads=(Counter.RX_POWER_DBM, Counter.TX_POWER_DBM, Counter.TEMPERATURE_C),
    wanted="interfaces: enabled",
    passes=f"each lane of a port that should be up has between {DARK_DBM} and {BRIGHT_DBM} dBm; no more than "
    f"{LANES_APART_DB} dB less than the middle of its port; no optic is over {HOT_C:.0f} degrees",
    fails="one has not, or is",
)
ABOUT = (ERRORS, FLAPS, FEC, OPTICS)


def _speed_gbps(soak: Soak, device: str, port: str) -> float | None:
    link = soak.link(device, port)
    return link.speed_gbps if link else None


def _look(soak: Soak, device: str, port: str) -> str:
    cable = soak.cable(device, port)
    return (
        f"look at {cable}; nornir counters --port {device}:{port}"
        if cable
        else f"nornir counters --port {device}:{port}"
    )


def _hit(soak: Soak, end: tuple[str, str], words: str, expected: str, found: str, amount: float) -> Hit:
    key = soak.cable_key(*end)
    return Hit(
        *end, f"{soak.where(*end)}: {words}", expected, found, key, _look(soak, *end), amount, soak.ends_of(*end)
    )


def check_link_errors(soak: Soak) -> list[Hit]:
    """Errors that reach the packets."""
    hits = []
    for device in (*soak.switches, *soak.read_hosts):
        wrong: dict[str, dict[Counter, float]] = {}
        for counter in map(Counter, ERRORS.reads):
            for place, value in soak.positive(counter, device):
                found = wrong.setdefault(place.port, {})
                found[counter] = found.get(counter, 0) + value
        seconds = soak.seconds(device)
        for port, each in wrong.items():
            speed = _speed_gbps(soak, device, port)
            if speed is None:  # nothing of the design is cabled there
                continue
            promised = speed * 1e9 * seconds * WORST_BER
            bad = {counter: n for counter, n in each.items() if counter is Counter.FEC_UNCORRECTED or n > promised}
            if bad:
                words = ", ".join(f"{number(value)} {counter}" for counter, value in bad.items())
                expected = f"at most {number(promised)} errors, and none that could not be corrected"
                hits.append(
                    _hit(soak, (device, port), f"{words} in {seconds:.0f} s", expected, words, sum(bad.values()))
                )
    return hits


def check_fec_trend(soak: Soak) -> list[Hit]:
    """Corrections near what the code can do, or many times those of the past."""
    hits = []
    for device in soak.switches:
        rates = soak.rates[device]
        past_s = (rates.uptime_s or 0) - rates.seconds
        totals = _by_port(rates.totals.get(Counter.FEC_CORRECTED, {}))
        for port, value in _by_port(rates.of(Counter.FEC_CORRECTED)).items():
            speed = _speed_gbps(soak, device, port)
            if not value or speed is None:
                continue
            before = _bit_errors(value, speed, rates.seconds)
            earlier = totals[port] - value
            usual = _bit_errors(earlier, speed, past_s) if past_s > rates.seconds else None
            words = f"{before:.0e} bit errors before correction"
            if before > WORST_BER_BEFORE / MARGIN_BEFORE:
                expected = f"under {WORST_BER_BEFORE / MARGIN_BEFORE:.0e}"
                hits.append(_hit(soak, (device, port), words, expected, f"{before:.0e}", before))
            elif usual is not None and before > FEW_CORRECTED_BER and before > GROWS_BY * usual:
                grown = f"{before / usual:.0f} times" if usual else "none before: more than"
                words = f"{words}, {grown} that of the {past_s / 3600:.1f} h before"
                expected = f"under {GROWS_BY:.0f} times what it was"
                hits.append(_hit(soak, (device, port), words, expected, f"{before:.0e}", before))
    return hits


def _bit_errors(corrected: float, speed_gbps: float, seconds: float) -> float:
    """The share of bits in error of which so many codewords had to be corrected (a codeword is right with all bits)."""
    codewords = speed_gbps * 1e9 * seconds * 544 / 514 / CODEWORD_BITS
    share = min(corrected / codewords, 1 - 1e-9)
    return -log1p(-share) / CODEWORD_BITS


def _by_port(values: Mapping[Place, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for place, value in values.items():
        found[place.port] = found.get(place.port, 0) + value
    return found


def check_link_changes(soak: Soak) -> list[Hit]:
    """Links that went down or up."""
    hits = []
    for device in (*soak.switches, *soak.read_hosts):
        for place, value in soak.positive(Counter.LINK_CHANGES, device):
            if soak.link(device, place.port) is not None:
                words = f"went down or up {number(value)} times in {soak.seconds(device):.0f} s"
                hits.append(_hit(soak, (device, place.port), words, "stays up", f"{number(value)} changes", value))
    return hits


def check_optics(soak: Soak) -> list[Hit]:
    """Light and heat, as they are now."""
    hits = []
    for device in soak.switches:
        enabled = {each.name for each in soak.wanted[device].interfaces if each.enabled}
        worst: dict[str, tuple[str, str]] = {}
        for port, words, expected in (*_light(soak, device), *_heat(soak, device)):
            if port in enabled and soak.link(device, port) is not None:
                before = worst.get(port)
                worst[port] = (f"{before[0]}; {words}" if before else words, expected)
        hits += [_hit(soak, (device, port), words, expected, words, 1.0) for port, (words, expected) in worst.items()]
    return hits


def _light(soak: Soak, device: str) -> Iterator[tuple[str, str, str]]:
    for counter in (Counter.RX_POWER_DBM, Counter.TX_POWER_DBM):
        lanes: dict[str, dict[int | None, float]] = {}
        for place, value in soak.rates[device].of(counter).items():
            lanes.setdefault(place.port, {})[place.index] = value
        for port, each in lanes.items():
            middle = median(each.values())
            for lane, value in each.items():
                name = f"{counter}" + ("" if lane is None else f" of lane {lane}")
                if not DARK_DBM <= value <= BRIGHT_DBM:
                    yield port, f"{name} is {value:.1f} dBm", f"{DARK_DBM} to {BRIGHT_DBM} dBm"
                elif value < middle - LANES_APART_DB:
                    yield (
                        port,
                        f"{name} is {value:.1f} dBm, {middle - value:.1f} dB less than its others",
                        "lanes alike",
                    )


def _heat(soak: Soak, device: str) -> Iterator[tuple[str, str, str]]:
    for place, value in soak.rates[device].of(Counter.TEMPERATURE_C).items():
        if value > HOT_C:
            yield place.port, f"the optic is at {value:.0f} degrees", f"at most {HOT_C:.0f} degrees"
