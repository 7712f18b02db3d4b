"""Sites drawn from a seed, with Python's own generator alone: the same number gives the same site on every machine."""

import random
from collections.abc import Iterator
from typing import Any

LEAVES = (
    {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
    {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"},
    {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"},
    {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"},
    {"platform": "nvue", "release": "5.14", "model": "SN5600"},
    {"platform": "nvue", "release": "5.16", "model": "SN5600"},
)


def random_site(number: int) -> dict[str, Any]:
    """The data of a fabric.yml. Not every one can be built."""
    draw = random.Random(number)
    rails = draw.choice((1, 2, 4, 8))
    count = draw.randint(1, 24)
    points = draw.sample(range(1, 64), draw.randint(2, 8))
    cut = draw.randint(1, len(points) - 1)
    weight = draw.randint(1, 99)
    roce: dict[str, Any] = {"dscp": points[:cut], "priority": draw.randint(1, 5), "lossless": True}
    roce |= {"ecn": draw.choice(("auto", ECN)), "weight": weight}
    link = draw.choice(("p2p", "p2p", "subnet/29", "svi"))
    most = draw.randint(count, 32)
    policy = {
        "classes": {
            "roce": roce,
            "cnp": {"dscp": points[cut:], "priority": 6, "strict": True},
            "bulk": {"dscp": 0, "priority": 0, "weight": 100 - weight},
        },
        "congestion": "dcqcn",
        "mtu": {"host": draw.choice((1500, 4200, 9000)), "fabric": draw.randint(9000, 9216)},
        "unused_ports": draw.choice(("shut", "leave")),
    }
    design = draw.choice(("rail", "rail", "clos"))
    nics: dict[str, Any] = {"rails": rails, "model": "ConnectX-7", "speed": draw.choice(("200G", "400G"))}
    nics |= {"per_group": draw.randint(2, 16), "at": [f"0000:{rail + 16:02x}:00.0" for rail in range(rails)]}
    fabric = {
        "design": design,
        "pools": POOLS,
        "leaf": dict(draw.choice(LEAVES)),
        "spine": {**draw.choice(LEAVES), "oversubscription": draw.choice((0.5, 1, 2, 7))},
        "routing": {"addressing": draw.choice(("numbered",) * 3 + ("unnumbered",)), "bfd": draw.random() < 0.5},
    }
    return {
        "site": f"random-{number}",
        "policy": policy,
        "fabrics": {"compute": fabric},
        "planes": {"compute": {"fabric": "compute", "cross_rail": "nvlink", "link": link, "pools": {"hosts": HOSTS}}},
        "hosts": {"gpu": {"count": count, "max": most, "nics": {"compute": nics}}},
    }


def random_sites() -> Iterator[dict[str, Any]]:
    """One after the other, without end."""
    number = 0
    while True:
        yield random_site(number)
        number += 1


ECN = {"min_bytes": 150_000, "max_bytes": 1_500_000, "probability_percent": 80}
POOLS = {"loopback": "10.255.0.0/16", "links": "10.160.0.0/13", "asn": "4200000000-4200099999"}
HOSTS = "10.168.0.0/13"
