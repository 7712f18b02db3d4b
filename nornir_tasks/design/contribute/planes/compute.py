"""The compute plane: GPUs communicate over it, each over a rail of its own."""

from nornir_tasks.design.contribute.host_ports import announced, owner, partial_configs
from nornir_tasks.design.demand.kinds import PlaneKind

KIND = PlaneKind(owner, announced, partial_configs, joins_gpus=True, bootstrap="business")
