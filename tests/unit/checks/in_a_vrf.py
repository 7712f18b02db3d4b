"""A site as it would be seen with all its routing in a VRF: nothing else of it changes."""

from dataclasses import replace

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.design.config.bgp import BgpVrf
from nornir_tasks.design.model.device_config import DeviceConfig

VRF = "COMPUTE-RED"


def in_a_vrf(evidence: Evidence) -> Evidence:
    """Links, sessions, what is announced and what is learned in ``VRF``; BGP does nothing in the default one."""
    network = evidence.network
    circuits = tuple(replace(each, use=replace(each.use, vrf=VRF)) for each in network.circuits)
    planes = {name: replace(each, vrf=VRF) for name, each in network.planes.items()}
    fabrics = {name: replace(each, vrf=VRF) for name, each in network.fabrics.items()}
    return replace(
        evidence,
        network=replace(network, circuits=circuits, planes=planes, fabrics=fabrics),
        wanted={name: _moved(each) for name, each in evidence.wanted.items()},
        running={name: _moved(each) for name, each in evidence.running.items()},
        observed={
            name: replace(
                seen,
                bgp=tuple(replace(each, vrf=VRF) for each in seen.bgp),
                routes=tuple(((VRF, prefix), hops) for (_, prefix), hops in seen.routes),
            )
            for name, seen in evidence.observed.items()
        },
    )


def _moved(config: DeviceConfig) -> DeviceConfig:
    bgp = config.bgp
    if bgp is None:
        return config
    inside = BgpVrf(VRF, bgp.router_id, bgp.maximum_paths, bgp.networks)
    neighbors = tuple(replace(each, vrf=VRF) for each in bgp.neighbors)
    return replace(config, bgp=replace(bgp, networks=(), neighbors=neighbors, vrfs=(inside,)))
