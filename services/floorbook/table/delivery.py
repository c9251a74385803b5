"""Decides how Faust's consumer hands a record to the fold: directly, and at once where nothing has to be waited for.

Faust 0.15.3 makes four tasks for every record, to be able to break off a delivery that waits for room in a
queue when partitions are given away. Nearly all of them wait for nothing, and the tasks cost as much as
all the rest of a delivery. Here the first step of each is taken on the spot; only one that then waits is
given to Faust's own way, as what is left of it. And what is to be folded is no stream to Faust: an event, two
queues and an agent for each record would cost as much again, for nothing that the fold asks for.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

import faust
from faust.transport.drivers.aiokafka import Consumer
from mode.services import WaitResults


class _Rest(Awaitable[Any]):
    """A coroutine whose first step was taken and waits for `waited`."""

    def __init__(self, begun: Coroutine[Any, Any, Any], waited: Any) -> None:
        self._begun = begun
        self._waited = waited

    def __await__(self) -> Generator[Any, Any, Any]:
        waited = self._waited
        while True:
            try:
                try:
                    sent = yield waited
                except BaseException as fault:  # noqa: BLE001 -- a cancellation, too, is the coroutine's
                    waited = self._begun.throw(fault)
                else:
                    waited = self._begun.send(sent)
            except StopIteration as end:
                return end.value


class QuickConsumer(Consumer):  # type: ignore[misc]  # Faust is not typed for us
    """Faust's consumer with quicker deliveries."""

    async def wait_first(self, *waited: Any, **options: Any) -> WaitResults:
        """Return what Faust's would: which of `waited` ended first, and with what."""
        if options or len(waited) != 2 or not isinstance(waited[0], Coroutine):
            return await super().wait_first(*waited, **options)
        delivery, suspended = waited
        try:
            needed = delivery.send(None)
        except StopIteration as end:
            suspended.close()  # it was never begun, and need not be
            return WaitResults([delivery], [end.value], False)
        except BaseException:
            suspended.close()
            raise
        return await super().wait_first(_Rest(delivery, needed), suspended)


def quicken(app: faust.App) -> None:
    """Return with `app` making consumers of ours; to be called before it makes one."""
    app.transport.Consumer = QuickConsumer


def hand_over(app: faust.App, topic: Any, put: Callable[[Any], Awaitable[None]]) -> None:
    """Return with `app` reading `topic` and giving its records to `put`, until they are acknowledged.

    None is given while partitions are given away. To be called before `app` makes a consumer.
    """
    conductor = app.topics
    conductor.add(topic)
    others = conductor.on_message
    names = frozenset(topic.topics)

    async def on_message(message: Any) -> None:
        if message.topic not in names:
            await others(message)
            return
        await app.flow_control.acquire()
        message.incref()
        await put(message)

    conductor.on_message = on_message
