"""How long a lab in a machine may take, where the processor is emulated and the cores are shared."""

BOOT_TIMEOUT_S = 600.0
"""An emulated machine boots within half a minute on idle cores, and within several minutes on busy ones."""
_SWITCHES_TIMEOUT_S, _SWITCHES_TIMEOUT_PER_SWITCH_S = 300.0, 30.0


def switches_timeout_s(switches: int) -> float:
    """From the machine's first answer until all switches in it answer."""
    return _SWITCHES_TIMEOUT_S + _SWITCHES_TIMEOUT_PER_SWITCH_S * switches


def ready_timeout_s(switches: int) -> float:
    """From nothing."""
    return BOOT_TIMEOUT_S + switches_timeout_s(switches)
