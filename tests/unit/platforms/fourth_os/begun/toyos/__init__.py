"""Toy OS, begun: it says what a release holds, and nothing else yet."""

from nornir_tasks.platforms.toyos.capabilities import FACTS

from nornir_tasks.platforms.platform import Platform

PLATFORM = Platform(facts=FACTS, file_suffix=".toy")
