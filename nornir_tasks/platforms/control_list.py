"""The access lists of the control plane: read as lists like any other, and joined to where they are applied."""

from dataclasses import replace

from nornir_tasks.design.config.reach import CONTROL_LIST
from nornir_tasks.design.model.device_config import DeviceConfig


def joined(config: DeviceConfig) -> DeviceConfig:
    """The same configuration with the lists' rules where they are applied; unchanged where that is not so."""
    return _of_fabric(_of_management(config))


def _of_management(config: DeviceConfig) -> DeviceConfig:
    control = config.base.reach.control_plane
    own = [each for each in config.access_lists if each.name == CONTROL_LIST]
    if control is None or len(own) != 1 or own[0] != replace(control, rules=own[0].rules).access_list:
        return config
    rest = tuple(each for each in config.access_lists if each not in own)
    reach = replace(config.base.reach, control_plane=replace(control, rules=own[0].rules))
    return replace(config, access_lists=rest, base=replace(config.base, reach=reach))


def _of_fabric(config: DeviceConfig) -> DeviceConfig:
    applied = config.base.reach.fabric
    known = {(each.name, each.family, each.counted) for each in applied}
    own = [each for each in config.access_lists if (each.name, each.family, each.counted) in known]
    if not own:
        return config
    rules = {each.family: each.rules for each in own}
    lists = tuple(replace(each, rules=rules.get(each.family, ())) for each in applied)
    rest = tuple(each for each in config.access_lists if each not in own)
    base = replace(config.base, reach=replace(config.base.reach, fabric=lists))
    return replace(config, access_lists=rest, base=base)
