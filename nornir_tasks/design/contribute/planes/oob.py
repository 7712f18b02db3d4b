"""An out-of-band plane: BMCs, management ports of switches, power distribution; entered from named devices alone."""

from nornir_tasks.design.contribute.host_ports import announced
from nornir_tasks.design.contribute.oob_ports import owner, partial_configs
from nornir_tasks.design.demand.kinds import PlaneKind

KIND = PlaneKind(owner, announced, partial_configs, is_out_of_band=True)
