"""Libraries that speak RDMA, and the variable by which each takes the traffic class of its packets.

Queue pairs that a library makes by DevX (a NIC's own commands, past the kernel) heed nothing that the kernel has for
the device: neither its traffic class of NVIDIA's driver (``/sys/class/infiniband/*/tc/1/traffic_class``) nor RDMA-CM's
ToS (NVIDIA/nccl issue 2383; ROCm/mori pull request 362; NVIDIA/nvshmem pull request 25; openucx/ucx pull request
11108). So each library is given its own variable.

All values are the whole byte, 4 x DSCP + ECN bits; none of these variables takes a DSCP. Service levels are left out:
with trust in DSCP the byte alone decides (from memory).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_OCTAL = re.compile(r"0[0-7]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySetting:
    """One variable of one library."""

    library: str
    variable: str
    since: str
    """The first release that has it."""
    unset: str
    """What packets bear without it."""
    source: str
    """Repository, path, commit."""
    decimal: bool = True
    """Only a decimal number is understood: of ``0x6a`` the library reads 0, or nothing. Else any base of strtol."""
    follows: str = ""
    """Without it the library takes this other variable, so it need not be set."""
    by_file: bool = False
    """In /etc/nccl.conf; else in the environment."""
    prefixes: tuple[str, ...] = ()
    """Variables of the library's RDMA begin so: who sets one of them uses it."""


SETTINGS = (
    LibrarySetting(
        library="NCCL, RCCL",
        variable="NCCL_IB_TC",
        since="NCCL 2.1.15",
        unset="DSCP 0",
        decimal=False,
        by_file=True,
        prefixes=("NCCL_IB_", "NCCL_GIN_"),
        source="NVIDIA/nccl docs/userguide/source/env.rst, src/transport/net_ib/connect.cc, 5067397c2676 (2.30.7); "
        "ROCm/rccl src/transport/net_ib.cc, 0cbce2a7571c",
    ),
    LibrarySetting(
        library="NCCL, RCCL",
        variable="NCCL_IB_FIFO_TC",
        since="NCCL 2.22.3",
        unset="as NCCL_IB_TC; in 2.22 DSCP 0",
        decimal=False,
        by_file=True,
        source="NVIDIA/nccl docs/userguide/source/env.rst, 5067397c2676",
    ),
    LibrarySetting(
        library="NCCL GIN (DevX)",
        variable="NCCL_GIN_IB_TC",
        since="NCCL 2.30.7",
        unset="as NCCL_IB_TC",
        decimal=False,
        follows="NCCL_IB_TC",
        by_file=True,
        source="NVIDIA/nccl src/transport/net_ib/gin.cc, src/transport/net_ib/gdaki/gin_host_gdaki.cc, 5067397c2676",
    ),
    LibrarySetting(
        library="UCX, and Open MPI and NIXL over it",
        variable="UCX_IB_TRAFFIC_CLASS",
        since="UCX 1.3.0",
        unset="DSCP 26 (traffic class 106); since 1.21.0 the device's own class, where NVIDIA's driver has one",
        prefixes=("UCX_IB_", "UCX_RC_", "UCX_DC_", "UCX_UD_"),
        source="openucx/ucx src/uct/ib/base/ib_iface.c, ib_device.c, src/ucs/config/parser.c, 9466d104a317; "
        "ai-dynamo/nixl src/plugins/ucx/config.cpp, 8770b655a6b1",
    ),
    LibrarySetting(
        library="NVSHMEM (IBRC; IBGDA, IBDEVX by DevX)",
        variable="NVSHMEM_IB_TRAFFIC_CLASS",
        since="NVSHMEM 3.3.9 or earlier (its issue 45); read in 3.4.5",
        unset="DSCP 0",
        decimal=False,
        prefixes=("NVSHMEM_IB_", "NVSHMEM_IBGDA_", "NVSHMEM_HCA_"),
        source="NVIDIA/nvshmem src/modules/transport/common/env_defs.h, "
        "src/modules/transport/ibgda/ibgda.cpp, 2d7d25f08162",
    ),
    LibrarySetting(
        library="mori",
        variable="MORI_RDMA_TC",
        since="mori 0.1.0; of mlx5, whose queue pairs are DevX's, 1.2.0",
        unset="DSCP 0",
        prefixes=("MORI_RDMA_", "MORI_IB_", "MORI_IO_"),
        source="ROCm/mori src/application/transport/rdma/rdma.cpp, providers/mlx5/mlx5.cpp, 624002c897a3",
    ),
    LibrarySetting(
        library="mori's IO",
        variable="MORI_IO_TC",
        since="mori 0.1.0",
        unset="as MORI_RDMA_TC",
        follows="MORI_RDMA_TC",
        source="ROCm/mori src/application/transport/rdma/providers/ibverbs/ibverbs.cpp, 624002c897a3",
    ),
    LibrarySetting(
        library="Mooncake, and NIXL over it",
        variable="MC_IB_TC",
        since="Mooncake 0.3.8",
        unset="DSCP 0",
        prefixes=("MC_IB_", "MC_GID_INDEX"),
        source="kvcache-ai/Mooncake mooncake-transfer-engine/src/config.cpp, 3b5a59413395",
    ),
)
FOLLOWS = -1
"""The value by which NCCL_GIN_IB_TC says that it follows."""
BY_VARIABLE: Mapping[str, LibrarySetting] = {each.variable: each for each in SETTINGS}

WITHOUT_VARIABLE = (
    (
        "RDMA-CM (librdmacm)",
        "the device's default ToS (`default_roce_tos` in configfs), which role `roce_qos` sets, unless the application "
        "asks for another (rdma_set_option)",
    ),
    (
        "verbs (libibverbs), and perftest",
        "what the application puts into its address handle; NVIDIA's driver puts the device's own traffic class in its "
        "place, which role `roce_qos` sets where there is one",
    ),
    (
        "libfabric's verbs provider, and NIXL over it",
        "RDMA-CM's ToS: it has no variable of its own (ofiwg/libfabric prov/verbs, af8ddbe92f03)",
    ),
)
"""(who speaks RDMA, what marks its packets): nothing to set in the environment."""


def environment(traffic_class: int) -> dict[str, int]:
    """Variable -> value, of libraries that read no file of ours: what hosts, pods and Slurm's tasks are given."""
    return {each.variable: traffic_class for each in SETTINGS if not each.by_file and not each.follows}


def meant(variable: str, text: str) -> int | None:
    """The number that the library takes from a text; None where it understands none, and marks as if unset."""
    try:
        return int(text, 10 if BY_VARIABLE[variable].decimal else 8 if _OCTAL.fullmatch(text) else 0)
    except ValueError:
        return None


def unmarked(names: Iterable[str]) -> Iterator[LibrarySetting]:
    """The libraries of which a program sets variables, but none for the traffic class."""
    every = set(names)
    for each in SETTINGS:
        if each.prefixes and each.variable not in every and any(name.startswith(each.prefixes) for name in every):
            yield each
