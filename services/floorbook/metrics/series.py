"""Decides how a metric behaves: which series it has, and what becomes of a value that is in no set.

The catalogue says what is measured; here is only how. A series is there from the start with zero, so that a
rate is never missing its first event.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import prometheus_client as prometheus
from prometheus_client import CollectorRegistry

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One label with its values, or labels that only go together, as a rule set with its game."""

    labels: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Return, unless the values do not fit the labels."""
        assert all(len(value) == len(self.labels) for value in self.values), self.labels
        assert len(set(self.values)) == len(self.values), self.labels


def label(name: str, *values: str) -> Dimension:
    """Return a label with all the values it can have."""
    return Dimension((name,), tuple((value,) for value in values))


def open_to_other(name: str, *values: str) -> Dimension:
    """Return a label whose values are `values`, and `other` for whatever else comes."""
    return label(name, *values, OTHER)


@dataclass(frozen=True, slots=True)
class Metric:
    """What is known about one metric: enough for dashboards, alerts and documents to be checked by."""

    name: str
    kind: str
    help: str
    dimensions: tuple[Dimension, ...] = ()
    open_label: str | None = None
    buckets: tuple[float, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the names of all labels."""
        names = tuple(label for dimension in self.dimensions for label in dimension.labels)
        return names if self.open_label is None else (*names, self.open_label)

    def label_sets(self) -> Iterator[tuple[str, ...]]:
        """Yield the values of every series that exists from the start."""
        for combination in product(*(dimension.values for dimension in self.dimensions)):
            yield tuple(value for values in combination for value in values)


class _Family:
    """The series of one metric, found by their labels."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._labels = metric.labels
        self._known = frozenset(metric.label_sets())

    def _values(self, given: Mapping[str, str]) -> tuple[str, ...]:
        """Return the label values of the series meant by `given`: what is in no set becomes `other`."""
        # Mostly the labels come in order with values of the set, and then nothing else is looked at.
        values = tuple(given.values())
        if values in self._known and tuple(given) == self._labels:
            return values
        if set(given) != set(self._labels):
            raise ValueError(
                f"{self.metric.name} has the labels {self._labels}, not {tuple(given)}"
            )
        found: list[str] = []
        for dimension in self.metric.dimensions:
            value = tuple(given[label] for label in dimension.labels)
            other = (OTHER,) * len(value)
            if value not in dimension.values:
                if other not in dimension.values:
                    raise ValueError(
                        f"{self.metric.name}: {value} is no value of {dimension.labels}"
                    )
                value = other
            found += value
        return tuple(found)


class Counter(_Family):
    """A number that only grows."""

    def __init__(self, metric: Metric, registry: CollectorRegistry) -> None:
        """Return the counter with every series at zero."""
        super().__init__(metric)
        family = prometheus.Counter(metric.name, metric.help, metric.labels, registry=registry)
        self._series = {
            values: family.labels(*values) if values else family for values in metric.label_sets()
        }

    def add(self, amount: int = 1, **labels: str) -> None:
        """Return after adding `amount` to one series."""
        self._series[self._values(labels)].inc(amount)


class Gauge(_Family):
    """A number that rises and falls."""

    def __init__(self, metric: Metric, registry: CollectorRegistry) -> None:
        """Return the gauge with every series at zero."""
        super().__init__(metric)
        family = prometheus.Gauge(metric.name, metric.help, metric.labels, registry=registry)
        self._series = {
            values: family.labels(*values) if values else family for values in metric.label_sets()
        }

    def set(self, value: float, **labels: str) -> None:
        """Return after setting one series."""
        self._series[self._values(labels)].set(value)

    def add(self, amount: float = 1, **labels: str) -> None:
        """Return after adding `amount`, which may be negative, to one series."""
        self._series[self._values(labels)].inc(amount)


class OpenGauge(_Family):
    """A gauge with a series for each table or device that has something to say, and for no other."""

    def __init__(self, metric: Metric, registry: CollectorRegistry) -> None:
        """Return the gauge without any series."""
        super().__init__(metric)
        assert metric.open_label is not None, metric.name
        assert not metric.dimensions, metric.name
        self._family = prometheus.Gauge(metric.name, metric.help, metric.labels, registry=registry)
        self._open: set[str] = set()

    def set(self, which: str, value: float) -> None:
        """Return after setting the series of the table or device `which`."""
        self._open.add(which)
        self._family.labels(which).set(value)

    def forget(self, which: str) -> None:
        """Return after taking away the series of `which`, if there is one."""
        if which in self._open:
            self._open.discard(which)
            self._family.remove(which)

    def forget_all(self) -> None:
        """Return after taking away every series, as when all partitions are lost."""
        for which in sorted(self._open):
            self.forget(which)


class Histogram(_Family):
    """How often something took how long, or was how large."""

    def __init__(self, metric: Metric, registry: CollectorRegistry) -> None:
        """Return the histogram with every series empty."""
        super().__init__(metric)
        family = prometheus.Histogram(
            metric.name, metric.help, metric.labels, registry=registry, buckets=metric.buckets
        )
        self._series = {
            values: family.labels(*values) if values else family for values in metric.label_sets()
        }

    def observe(self, value: float, **labels: str) -> None:
        """Return after counting one observation."""
        self._series[self._values(labels)].observe(value)


class Metrics:
    """What every class of the catalogue is: it declares its metrics by these four, one by one."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the metrics of one process, none yet, to be declared in `registry`."""
        self._registry = registry
        self._declared: list[Metric] = []

    def declared(self) -> tuple[Metric, ...]:
        """Return every metric of this service."""
        return tuple(self._declared)

    def counter(self, name: str, help: str, *dimensions: Dimension) -> Counter:
        """Return a counter, declared and registered."""
        return Counter(self._declare(Metric(name, "counter", help, dimensions)), self._registry)

    def gauge(self, name: str, help: str, *dimensions: Dimension) -> Gauge:
        """Return a gauge, declared and registered."""
        return Gauge(self._declare(Metric(name, "gauge", help, dimensions)), self._registry)

    def open_gauge(self, name: str, help: str, label: str) -> OpenGauge:
        """Return a gauge by table or by device, declared and registered."""
        metric = Metric(name, "gauge", help, open_label=label)
        return OpenGauge(self._declare(metric), self._registry)

    def histogram(
        self, name: str, help: str, buckets: tuple[float, ...], *dimensions: Dimension
    ) -> Histogram:
        """Return a histogram, declared and registered."""
        metric = Metric(name, "histogram", help, dimensions, buckets=buckets)
        return Histogram(self._declare(metric), self._registry)

    def _declare(self, metric: Metric) -> Metric:
        self._declared.append(metric)
        return metric
