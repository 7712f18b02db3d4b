"""A storage plane: hosts reach files and blocks over it, by TCP over a bond or by RDMA over routed links."""

from nornir_tasks.design.contribute.host_ports import announced, owner, partial_configs
from nornir_tasks.design.demand.kinds import PlaneKind

KIND = PlaneKind(owner, announced, partial_configs, has_transport=True)
