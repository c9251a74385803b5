"""Decides how figures become series of the catalogue."""

from collections.abc import Iterable, Mapping

from floorbook.lag import Lag
from floorbook.metrics.catalogue import NO_TOPIC, TOPICS, BusinessMetrics
from floorbook.metrics.count import Tally
from floorbook.topics import Place


def show(tally: Tally, metrics: BusinessMetrics) -> None:
    """Return after adding `tally` to what is exposed."""
    for metric, counts in (
        (metrics.rounds_opened, tally.rounds_opened),
        (metrics.rounds_settled, tally.rounds_settled),
        (metrics.rounds_void, tally.rounds_void),
        (metrics.reversals, tally.reversals),
        (metrics.bets, tally.bets),
        (metrics.handle_minor_units, tally.handle),
        (metrics.handle_released_minor_units, tally.handle_released),
        (metrics.house_win_minor_units, tally.house_win),
        (metrics.commission_minor_units, tally.commission),
        (metrics.charge_minor_units, tally.charge),
        (metrics.movements, tally.movements),
        (metrics.entries, tally.entries),
        (metrics.refusals, tally.refusals),
        (metrics.records, tally.records),
        (metrics.repeats, tally.repeats),
        (metrics.unreadable, tally.unreadable),
        (metrics.own_quarantined, tally.own_quarantined),
    ):
        labels = metric.metric.labels
        for values, amount in counts.items():
            metric.add(amount, **dict(zip(labels, values, strict=True)))
    for (topic, reason), amount in tally.quarantined.items():
        metrics.quarantined.add(amount, topic=topic or NO_TOPIC, reason=reason)
    for (game, rule_set), microseconds in tally.settled_after_microseconds:
        metrics.settle_seconds.observe(microseconds / 1_000_000, game=game, rule_set=rule_set)


def show_lags(lags: Mapping[Place, Lag], metrics: BusinessMetrics) -> None:
    """Return after setting how far every topic's reader is behind; 0 where nothing is assigned."""
    for (topic,) in TOPICS.values:
        found = [lag for place, lag in lags.items() if place[0] == topic]
        metrics.lag_records.set(sum(lag.records for lag in found), topic=topic)
        metrics.lag_seconds.set(max((lag.seconds for lag in found), default=0), topic=topic)


def show_partitions(places: Iterable[Place], metrics: BusinessMetrics) -> None:
    """Return after setting how many partitions of every topic are assigned here."""
    assigned = [topic for topic, _ in places]
    for (topic,) in TOPICS.values:
        metrics.partitions.set(assigned.count(topic), topic=topic)
