"""A business plane: users and services reach hosts over it (logins, interfaces of applications, notebooks)."""

from nornir_tasks.design.contribute.host_ports import announced, owner, partial_configs
from nornir_tasks.design.demand.kinds import PlaneKind

KIND = PlaneKind(owner, announced, partial_configs)
