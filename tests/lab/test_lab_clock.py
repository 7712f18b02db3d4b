"""Timers fire when they are due, in order, and never after they were cancelled."""

from __future__ import annotations

import asyncio

from switch_twins.clock import ManualClock, RealClock


def test_manual_timers_fire_in_order_at_their_own_time() -> None:
    clock = ManualClock()
    fired: list[tuple[str, float]] = []
    clock.call_later(10, lambda: fired.append(("late", clock.now_s())))
    clock.call_later(5, lambda: fired.append(("early", clock.now_s())))
    cancelled = clock.call_later(7, lambda: fired.append(("never", clock.now_s())))
    cancelled.cancel()
    clock.advance(4.9)
    assert fired == []
    clock.advance(10)
    assert fired == [("early", 5), ("late", 10)] and clock.now_s() == 14.9


def test_timer_started_by_a_timer_fires_in_the_same_advance_if_due() -> None:
    clock = ManualClock()
    fired: list[float] = []
    clock.call_later(1, lambda: clock.call_later(1, lambda: fired.append(clock.now_s())))
    clock.advance(2)
    assert fired == [2]


def test_real_timers_fire_by_themselves_or_when_the_clock_is_advanced() -> None:
    async def scenario() -> tuple[list[str], float]:
        clock = RealClock()
        fired: list[str] = []
        clock.call_later(0.01, lambda: fired.append("soon"))
        clock.call_later(600, lambda: fired.append("timer"))
        clock.call_later(1200, lambda: fired.append("not yet"))
        clock.call_later(300, lambda: fired.append("cancelled")).cancel()
        before_s = clock.now_s()
        await asyncio.sleep(0.03)
        clock.advance(700)
        await asyncio.sleep(0.01)
        return fired, clock.now_s() - before_s

    fired, passed_s = asyncio.run(scenario())
    assert fired == ["soon", "timer"] and 700 < passed_s < 702
