"""The parts that the present network consists of, counted one by one.

For an optic link these are the transceivers, each once however many jumpers come out of it, and the fibre between them:
a jumper per leg, or a splitter where one connector makes several legs. Copper and AOC are bought as assemblies.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.links import Cable, Endpoint, Link, NicPort
from nornir_tasks.design.model.media import (
    CONNECTORS,
    OPTICS,
    STRAIGHT,
    connector_of,
    fans_out,
    far_connector_of,
    is_twin,
    light_of,
    polarity_of,
)
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.transceivers import Plug, plug_at
from nornir_tasks.intent.keys.bill import Bought
from nornir_tasks.intent.keys.site import Intent

NOT_DECLARED = "not declared"
"""Value that the intent could declare and does not."""

NOT_KNOWN = "not known"
"""Value that no source names."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of part to buy. Undeclared and inapplicable values are None."""

    kind: Bought
    part: str
    """Its name, or its class if any manufacturer's is suitable."""
    form_factor: str | None = None
    """Form of the cages for its plugs."""
    connector: str | None = None
    """Connector of its fibre."""
    fibre: str | None = None
    polarity: str | None = None
    length_m: int | None = None


@dataclass(frozen=True)
class PartCounter:
    """Counts the parts of one network."""

    network: Network
    intent: Intent
    catalogue: Catalogue

    @cached_property
    def links(self) -> dict[str, Link]:
        """Name -> link."""
        return {link.name: link for link in self.network.links}

    @cached_property
    def nics(self) -> dict[tuple[str, str], str]:
        """(Host, port) -> model of the NIC."""
        return {(port.host, port.port): self._model_of(port) for port in self.network.nics}

    def parts(self) -> Counter[Part]:
        """Every part and its installed number."""
        cards = {(port.host, port.nic, self._plane_of(port)): self._model_of(port) for port in self.network.nics}
        found = Counter(Part("switch", device.model) for device in self.network.devices)
        found.update(Part("nic", model) for model in cards.values())
        found.update(self._fibres_and_assemblies())
        found.update(self._transceivers().values())
        found[Part("label", "cable label")] = len(self.network.links)
        return found

    def _plane_of(self, port: NicPort) -> str:
        """The first plane of the port; NICs are numbered in each plane."""
        return next((each.owner for each in self.network.circuits_on(port.link)), "")

    def _model_of(self, port: NicPort) -> str:
        nics = self.intent.hosts[port.host.rpartition("-")[0]].nics.get(self._plane_of(port))
        return nics.model if nics is not None and nics.model is not None else "NIC, model not declared"

    def _fibres_and_assemblies(self) -> Iterator[Part]:
        for cable in self.network.cables:
            joined = [self.links[name] for name in cable.links]
            if cable.medium is None or cable.medium in STRAIGHT:
                yield self._assembly(cable, joined[0])
            elif _is_splitter(cable, joined[0]):
                yield self._splitter(cable, joined[0])
            else:
                yield from (self._jumper(cable, link) for link in joined)

    def _jumper(self, cable: Cable, link: Link) -> Part:
        connector, fibre, polarity = self._glass(cable, link)
        return Part("jumper", f"{fibre} jumper, {connector}", None, connector, fibre, polarity, cable.length_m)

    def _assembly(self, cable: Cable, link: Link) -> Part:
        """Cables that differ at either end are different parts, so an unknown end is stated."""
        ways, speed = _ways(cable, link), link.speed_gbps
        split = f"-{ways}x{speed}G" if ways > 1 else ""
        medium = f"{split}, medium not declared" if cable.medium is None else f"-{cable.medium}{split}"
        ends = (link.lower, link.upper) if _legs(link.lower) > 1 else (link.upper, link.lower)
        forms = " to ".join(dict.fromkeys(map(self._form, ends)))
        return Part("assembly", f"{ways * speed}G{medium}", forms, length_m=cable.length_m)

    def _splitter(self, cable: Cable, link: Link) -> Part:
        connector, fibre, polarity = self._glass(cable, link)
        ways = _ways(cable, link)
        if cable.make.kind == "assembly":
            far = far_connector_of(str(cable.medium), link.speed_gbps, ways)
            polarity = polarity if far == connector else NOT_KNOWN
            connector = f"{connector} to {far or NOT_KNOWN}"
        name = f"{fibre} 1:{ways} splitter, {connector}"
        return Part("splitter", name, None, connector, fibre, polarity, cable.length_m)

    def _glass(self, cable: Cable, link: Link) -> tuple[str, str, str]:
        """Connector at a split cage, or of any jumper; fibre; polarity."""
        twin = self.catalogue.optics.get(cable.make.upper_optic or cable.make.lower_optic or "")
        if twin is not None:
            return twin.connector, twin.fibre, twin.polarity
        light, ways = light_of(str(cable.medium)), _ways(cable, link) if _is_splitter(cable, link) else 1
        connector = connector_of(light, link.speed_gbps * ways)
        return connector, OPTICS[light].fibre, polarity_of(connector)

    def _form(self, end: Endpoint) -> str:
        """Form of the cage at this end."""
        if end.slot is not None and end.device in self.network:
            model = self.network.models.get(self.network.device(end.device).model)
            return model.group_of(end.slot.number).cage if model is not None else NOT_KNOWN
        nic = self.catalogue.nics.get(self.nics.get((end.device, end.port), ""))
        return NOT_DECLARED if nic is None else nic.cage or NOT_KNOWN

    def _transceivers(self) -> dict[Plug, Part]:
        """Pluggable -> its part; each once. None for assemblies, and for undeclared media."""
        found: dict[Plug, Part] = {}
        for cable in self.network.cables:
            if cable.medium is None or cable.medium in STRAIGHT:
                continue
            for link in (self.links[name] for name in cable.links):
                for end, optic in ((link.upper, cable.make.upper_optic), (link.lower, cable.make.lower_optic)):
                    found[plug_at(end)] = self._transceiver(cable, link, end, optic)
        return found

    def _transceiver(self, cable: Cable, link: Link, end: Endpoint, optic: str | None) -> Part:
        connector, fibre, _ = self._glass(cable, link)
        form = self._form(end)
        if optic is not None:
            return Part("transceiver", optic, form, f"{CONNECTORS} x {connector}", fibre)
        medium, ways, speed = str(cable.medium), _legs(end), link.speed_gbps
        if is_twin(medium):  # a whole cage has the lanes of one connector of the far optic
            port_gbps = speed * _ways(cable, link) if cable.make.kind == "splitter" else speed
            several = CONNECTORS if ways > 1 else 1  # a NIC of several ports has a twin-port optic as well
            return _classified(several, f"{port_gbps}G-{light_of(medium)}", form, connector, fibre)
        if not _is_splitter(cable, link):
            return _classified(ways, f"{speed}G-{medium}", form, connector, fibre)
        if ways > 1:
            return Part("transceiver", f"{ways * speed}G-{medium}", form, connector, fibre)
        far = far_connector_of(medium, speed, _ways(cable, link)) or NOT_KNOWN
        return Part("transceiver", f"{speed}G, a leg of {medium}", form, far, fibre)


def _classified(connectors: int, name: str, form: str, connector: str, fibre: str) -> Part:
    """A transceiver of a class, with one connector or several."""
    if connectors == 1:
        return Part("transceiver", name, form, connector, fibre)
    return Part("transceiver", f"{connectors}x{name}", form, f"{connectors} x {connector}", fibre)


def _is_splitter(cable: Cable, link: Link) -> bool:
    """Do several legs come out of one connector?"""
    if cable.make.kind != "assembly":
        return cable.make.kind == "splitter"
    return fans_out(str(cable.medium), link.speed_gbps, _ways(cable, link))


def _legs(end: Endpoint) -> int:
    """Legs of the cage at this end; 1 for a whole one."""
    return end.slot.ways if end.slot is not None else 1


def _ways(cable: Cable, link: Link) -> int:
    """Legs per connector; for a cage with one connector, all legs."""
    if cable.make.kind == "jumper":
        return 1
    ways = max(map(_legs, (link.upper, link.lower)))
    return max(1, ways // CONNECTORS) if cable.make.kind == "splitter" else ways
