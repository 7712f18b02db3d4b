"""The access list of the control plane: read as a list like any other, and joined to where it is applied."""

from dataclasses import replace

from nornir_tasks.design.config.reach import CONTROL_LIST
from nornir_tasks.design.device_config import DeviceConfig


def joined(config: DeviceConfig) -> DeviceConfig:
    """The same configuration with the list's rules where it is applied; unchanged where it is not, or is not there."""
    control = config.base.reach.control_plane
    own = [each for each in config.access_lists if each.name == CONTROL_LIST]
    if control is None or len(own) != 1 or own[0] != replace(control, rules=own[0].rules).access_list:
        return config
    rest = tuple(each for each in config.access_lists if each not in own)
    reach = replace(config.base.reach, control_plane=replace(control, rules=own[0].rules))
    return replace(config, access_lists=rest, base=replace(config.base, reach=reach))
