"""A drill counts only if its alerts come after the fault, go after healing, and play goes on meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from floorbook.demo import drill
from floorbook.demo.drill import DrillFailed, Drills
from floorbook.demo.drill_faults import Fault, Heal, Scene
from floorbook.demo.drill_webhook import Message, Webhook
from floorbook.demo.progress import PlainDisplay
from floorbook.demo.tally import Tally


def says(webhook: Webhook, status: str, name: str = "Wanted") -> None:
    webhook.take(Message(status, "pager", {"alertname": name}))


class Stage:
    """A floor of one table that settles a round at every turn of the loop, and a fault of our own making."""

    def __init__(self) -> None:
        self.webhook = Webhook()
        self.said: list[str] = []
        self.plays = True
        self.comes, self.goes = True, True
        tally = Tally()
        floor: Any = SimpleNamespace(tally=tally, tables={"T001": None})
        rig: Any = SimpleNamespace(supervisor=SimpleNamespace(gives_up=asyncio.Event().wait))
        self.scene = Scene(rig, floor, self.said.append)
        self.tally = tally

    async def make(self, scene: Scene) -> Heal:
        says(self.webhook, "firing", "Beside")
        if self.comes:
            says(self.webhook, "firing")

        async def heal() -> None:
            self.said.append("healed")
            if self.goes:
                says(self.webhook, "resolved")

        return heal

    async def play(self) -> None:
        while self.plays:
            self.tally.rounds_settled += 1
            await asyncio.sleep(0)
        raise ValueError("play has a fault of its own")

    @asynccontextmanager
    async def drills(
        self, monkeypatch: pytest.MonkeyPatch, limit_seconds: float = 30.0
    ) -> AsyncIterator[Drills]:
        monkeypatch.setattr(drill, "FAULTS", {"fault": Fault(("Wanted",), self.make)})
        monkeypatch.setattr(drill, "_LOOK_SECONDS", 0.001)
        play = asyncio.create_task(self.play())
        shown = PlainDisplay(self.said.append)
        try:
            yield Drills(self.scene, self.webhook, shown, play, limit_seconds)
        finally:
            play.cancel()
            await asyncio.gather(play, return_exceptions=True)


async def test_what_came_and_went_is_timed_and_what_came_beside_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    async with stage.drills(monkeypatch) as drills:
        times = await drills.drill("fault")
    assert set(times.came) == set(times.resolved) == {"Wanted"}
    assert 0 <= times.came["Wanted"] <= times.resolved["Wanted"]
    assert times.also == ("Beside",)
    assert "healed" in stage.said


async def test_an_alert_that_does_not_come_fails_the_drill(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage()
    stage.comes = False
    async with stage.drills(monkeypatch, 0.5) as drills:
        with pytest.raises(DrillFailed, match=r"for Wanted at the webhook; firing: Beside"):
            await drills.drill("fault")


async def test_an_alert_that_does_not_go_fails_the_drill(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage()
    stage.goes = False
    async with stage.drills(monkeypatch, 0.5) as drills:
        with pytest.raises(DrillFailed, match="for Wanted to be resolved"):
            await drills.drill("fault")
    assert "healed" in stage.said


async def test_an_alert_that_fires_before_the_fault_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    says(stage.webhook, "firing")
    async with stage.drills(monkeypatch, 0.5) as drills:
        with pytest.raises(DrillFailed, match="to be quiet before there is a fault"):
            await drills.drill("fault")
    assert "healed" not in stage.said


async def test_play_that_ends_ends_the_drill_with_its_own_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    stage.plays = False
    async with stage.drills(monkeypatch) as drills:
        with pytest.raises(ValueError, match="a fault of its own"):
            await drills.drill("fault")
