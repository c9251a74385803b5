"""Decides what the dashboards show: six pages, each for one question, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_RATE = "[$__rate_interval]"


@dataclass(frozen=True)
class Chart:
    """Lines over time; each is an expression and the legend of its series."""

    title: str
    lines: Sequence[tuple[str, str]]
    unit: str = "short"
    says: str = ""
    width: int = 12
    limit: float | None = None
    signed: bool = False  # may be below zero


@dataclass(frozen=True)
class Figure:
    """One number as it is now; from `bad` on it is red, or below it if `low` is bad."""

    title: str
    expression: str
    unit: str = "short"
    bad: float | None = None
    low: bool = False
    width: int = 4


@dataclass(frozen=True)
class Listing:
    """Whatever has something to say now, with one row for each."""

    title: str
    expression: str
    label: str
    unit: str = "short"
    says: str = ""
    width: int = 12


@dataclass(frozen=True)
class Row:
    """A heading and what stands under it."""

    title: str
    panels: Sequence[Chart | Figure | Listing]


@dataclass(frozen=True)
class Page:
    """One dashboard."""

    name: str
    title: str
    question: str
    rows: Sequence[Row]


def _rate(metric: str, by: str = "", where: str = "") -> str:
    return f"sum{f' by ({by})' if by else ''} (rate({metric}{where}{_RATE}))"


def _quantile(share: float, metric: str, by: str = "", where: str = "") -> str:
    labels = f"le, {by}" if by else "le"
    rate = f"rate({metric}_bucket{where}{_RATE})"
    return f"histogram_quantile({share}, sum by ({labels}) ({rate}))"


def _latency(
    title: str, metric: str, where: str = "", says: str = "", limit: float | None = None
) -> Chart:
    shares = ((0.5, "half"), (0.99, "p99"), (0.999, "p99.9"))
    lines = [(_quantile(share, metric, where=where), name) for share, name in shares]
    return Chart(title, lines, "s", says, limit=limit)


# Games and rule sets are chosen at the top of the page; `All` is `.*`.
_CHOSEN = '{game=~"$game", rule_set=~"$rule_set"}'
_GAME = '{game=~"$game"}'

_FLOOR = Page(
    "floor",
    "Floor",
    "Is the floor being paid, and which table is late?",
    (
        Row(
            "Now",
            (
                Figure("Rounds a minute", f"60 * {_rate('floorbook_rounds_settled_total')}"),
                Figure("Settled, p99", _quantile(0.99, "floorbook_settle_seconds"), "s", 1),
                Figure("Tables late", "count(floorbook_table_owing_seconds) or vector(0)", bad=1),
                Figure("Tables suspended", "sum(floorbook_table_suspended) or vector(0)", bad=1),
                Figure(
                    "Evaluations owed", 'sum(floorbook_table_obligations_open{kind="evaluation"})'
                ),
                Figure("Layouts with money", "sum(floorbook_ledger_layouts_open)"),
            ),
        ),
        Row(
            "Tables that need somebody",
            (
                Listing(
                    "Suspended",
                    "max by (table) (floorbook_table_suspended) == 1",
                    "table",
                    says="`floorbook suspended` says why.",
                ),
                Listing(
                    "Waiting for judgement",
                    "topk(50, max by (table) (floorbook_table_owing_seconds))",
                    "table",
                    "s",
                    says="Only tables that wait longer than a second are here.",
                ),
            ),
        ),
        Row(
            "Rounds",
            (
                Chart(
                    "Settled a minute",
                    [
                        (
                            f"60 * {_rate('floorbook_rounds_settled_total', 'rule_set', _CHOSEN)}",
                            "{{rule_set}}",
                        )
                    ],
                ),
                Chart(
                    "Settled within",
                    [
                        (
                            _quantile(0.99, "floorbook_settle_seconds", "rule_set", _CHOSEN),
                            "{{rule_set}} p99",
                        )
                    ],
                    "s",
                    "From the event that completed the round to its booking.",
                    limit=1,
                ),
                Chart(
                    "Made void, and settlements taken back, a minute",
                    [
                        (
                            f"60 * {_rate('floorbook_rounds_void_total', 'stage', _CHOSEN)}",
                            "void {{stage}}",
                        ),
                        (f"60 * {_rate('floorbook_reversals_total', '', _CHOSEN)}", "taken back"),
                    ],
                ),
                Chart(
                    "Refused by the rules",
                    [(f"topk(10, {_rate('floorbook_refusals_total', 'reason')})", "{{reason}}")],
                    "ops",
                    "Ordinary business; a peak of one reason is a question to a pit.",
                ),
            ),
        ),
        Row(
            "Money, for charts only",
            (
                Chart(
                    "Bets held a minute, minor units",
                    [
                        (
                            f"60 * {_rate('floorbook_handle_minor_units_total', 'game, currency', _GAME)}",
                            "{{game}} {{currency}}",
                        )
                    ],
                    says="Nobody settles or reports from a chart: that is the ledger's.",
                ),
                Chart(
                    "The house's win since the metrics service began, minor units",
                    [
                        (
                            f"sum by (game, currency) (floorbook_house_win_minor_units{_GAME})",
                            "{{game}} {{currency}}",
                        )
                    ],
                    signed=True,
                ),
                Chart(
                    "Commission and charges since then, minor units",
                    [
                        (
                            f"sum by (game, currency) (floorbook_commission_minor_units{_GAME})",
                            "commission {{game}} {{currency}}",
                        ),
                        (
                            f"sum by (game, currency) (floorbook_charge_minor_units{_GAME})",
                            "charge {{game}} {{currency}}",
                        ),
                    ],
                    signed=True,
                ),
                Chart(
                    "Bets a minute",
                    [
                        (
                            f"60 * {_rate('floorbook_bets_total', 'rule_set', _CHOSEN)}",
                            "{{rule_set}}",
                        )
                    ],
                ),
            ),
        ),
    ),
)

_PIPELINE = Page(
    "pipeline",
    "Pipeline",
    "Is anything stuck on the way from a device to a posting?",
    (
        Row(
            "What waits",
            (
                Chart(
                    "Events not folded",
                    [("sum by (instance) (floorbook_table_lag_records)", "{{instance}}")],
                ),
                Chart(
                    "Oldest that is owed",
                    [("max by (kind) (floorbook_table_obligation_oldest_seconds)", "{{kind}}")],
                    "s",
                ),
                Chart(
                    "Movements not booked, entries not published",
                    [
                        ("sum(floorbook_ledger_lag_records)", "movements"),
                        ("sum(floorbook_ledger_publish_lag_entries)", "entries"),
                    ],
                ),
                Chart(
                    "Behind by",
                    [
                        ("max(floorbook_table_lag_seconds)", "the fold"),
                        ("max(floorbook_ledger_lag_seconds)", "the books"),
                        ("max(floorbook_ledger_publish_lag_seconds)", "finance"),
                        ("max by (topic) (floorbook_metrics_lag_seconds)", "charts, {{topic}}"),
                    ],
                    "s",
                    limit=5,
                ),
                Chart(
                    "Gateways behind the floor",
                    [("max by (instance) (floorbook_gateway_floor_lag_records)", "{{instance}}")],
                    says="Above 10,000 a gateway takes nothing in.",
                ),
                Chart(
                    "Since an event was last applied",
                    [
                        (
                            "time() - max by (instance) (floorbook_table_last_applied_timestamp_seconds)",
                            "{{instance}}",
                        )
                    ],
                    "s",
                ),
            ),
        ),
        Row(
            "How long each step takes",
            (
                _latency("Confirming a fact", "floorbook_gateway_acknowledge_seconds", limit=1),
                _latency("Folding a batch, to its watermark", "floorbook_table_batch_seconds"),
                _latency("One call of an evaluator", "floorbook_table_evaluation_seconds"),
                _latency("One transaction of the ledger", "floorbook_ledger_batch_seconds"),
                _latency("Answering a terminal", "floorbook_gateway_submit_seconds"),
                _latency("From complete to committed", "floorbook_ledger_settle_seconds", limit=1),
            ),
        ),
        Row(
            "Who has what, and what it had to do again",
            (
                Chart(
                    "Partitions",
                    [("sum by (instance) (floorbook_table_partitions)", "{{instance}}")],
                ),
                Chart(
                    "Last recovery",
                    [("max by (instance) (floorbook_table_recovery_seconds)", "{{instance}}")],
                    "s",
                ),
                Chart(
                    "Tables open", [("sum by (instance) (floorbook_table_tables)", "{{instance}}")]
                ),
                Chart(
                    "Gateways that take what comes",
                    [("min by (instance) (floorbook_gateway_ready)", "{{instance}}")],
                ),
                Chart(
                    "What the last check found otherwise than the log says",
                    [
                        ("max by (what) (floorbook_rebuild_differences)", "{{what}}"),
                        (
                            "sum(increase(floorbook_rebuild_failures_total[1h]))",
                            "checks that failed",
                        ),
                    ],
                    says="By `floorbook rebuild --every`; a difference is never ordinary.",
                ),
                Chart(
                    "Since the log was last checked whole, and how long that took",
                    [
                        ("time() - max(floorbook_rebuild_checked_timestamp_seconds)", "since"),
                        ("max(floorbook_rebuild_seconds)", "took"),
                    ],
                    "s",
                ),
                Chart(
                    "Repeats, which are ordinary after a restart",
                    [
                        (_rate("floorbook_ledger_duplicates_total"), "movements at the ledger"),
                        (_rate("floorbook_metrics_repeats_total"), "records at metrics"),
                        (
                            _rate(
                                "floorbook_table_events_folded_total",
                                where='{verdict="known_already"}',
                            ),
                            "events at tables",
                        ),
                    ],
                    "ops",
                ),
                Chart(
                    "Holes that were healed",
                    [
                        (_rate("floorbook_table_holes_healed_total"), "stretches"),
                        (_rate("floorbook_table_hole_events_total"), "events in them"),
                        (_rate("floorbook_table_watchdog_reads_total"), "reads of the watchdog"),
                    ],
                    "ops",
                ),
                Chart(
                    "Size of a batch, half of them",
                    [
                        (_quantile(0.5, "floorbook_table_batch_events"), "events"),
                        (_quantile(0.5, "floorbook_ledger_batch_movements"), "movements"),
                    ],
                ),
            ),
        ),
    ),
)

_ANSWERED = '{outcome=~"answered|refused"}'
_SERVICES = Page(
    "services",
    "Services",
    "How much does each service do, how often does it fail, how long does it take, and what does it use?",
    (
        Row(
            "Who runs",
            (
                Chart(
                    "Processes that answer",
                    [
                        (
                            "count by (service, version) (floorbook_build_info)",
                            "{{service}} {{version}}",
                        )
                    ],
                ),
                Chart(
                    "Processes that do not answer",
                    [('count by (job) (up{job=~".*floorbook.*"} == 0)', "{{job}}")],
                ),
            ),
        ),
        Row(
            "Rate",
            (
                Chart(
                    "Gateway: events taken",
                    [
                        (
                            f"topk(10, {_rate('floorbook_gateway_events_accepted_total', 'fact')})",
                            "{{fact}}",
                        )
                    ],
                    "ops",
                ),
                Chart(
                    "Table: events folded",
                    [(_rate("floorbook_table_events_folded_total", "verdict"), "{{verdict}}")],
                    "ops",
                ),
                Chart(
                    "Evaluator: requests",
                    [(_rate("floorbook_evaluator_requests_total", "op"), "{{op}}")],
                    "ops",
                ),
                Chart(
                    "Ledger: entries",
                    [(_rate("floorbook_ledger_entries_posted_total", "kind"), "{{kind}}")],
                    "ops",
                ),
                Chart(
                    "Metrics: records",
                    [(_rate("floorbook_metrics_records_total", "topic"), "{{topic}}")],
                    "ops",
                ),
            ),
        ),
        Row(
            "Failures",
            (
                Chart(
                    "Gateway: not taken",
                    [(_rate("floorbook_gateway_refused_total", "reason") + " > 0", "{{reason}}")],
                    "ops",
                ),
                Chart(
                    "Table: calls of evaluators that failed",
                    [
                        (
                            _rate(
                                "floorbook_table_evaluation_attempts_total",
                                "outcome",
                                '{outcome!="answered"}',
                            ),
                            "{{outcome}}",
                        )
                    ],
                    "ops",
                ),
                Chart(
                    "Evaluator: not evaluated",
                    [
                        (
                            _rate(
                                "floorbook_evaluator_requests_total",
                                "outcome",
                                '{outcome!="evaluated"}',
                            ),
                            "{{outcome}}",
                        )
                    ],
                    "ops",
                ),
                Chart(
                    "Ledger: database",
                    [("min by (instance) (floorbook_ledger_database_up)", "{{instance}}")],
                ),
                Chart(
                    "Metrics: unreadable",
                    [(_rate("floorbook_metrics_unreadable_total", "topic"), "{{topic}}")],
                    "ops",
                ),
                Chart(
                    "In quarantine since the start",
                    [
                        (
                            "sum by (topic, reason) (floorbook_quarantined_total) > 0",
                            "{{topic}} {{reason}}",
                        )
                    ],
                ),
            ),
        ),
        Row(
            "Duration",
            (
                Chart(
                    "Gateway, p99",
                    [
                        (
                            _quantile(0.99, "floorbook_gateway_submit_seconds", "outcome"),
                            "{{outcome}}",
                        )
                    ],
                    "s",
                ),
                Chart(
                    "Evaluator, p99",
                    [(_quantile(0.99, "floorbook_evaluator_request_seconds", "op"), "{{op}}")],
                    "s",
                ),
            ),
        ),
        Row(
            "What they use",
            (
                Chart(
                    "Processor",
                    [
                        (
                            'sum by (job, instance) (rate(process_cpu_seconds_total{job=~".*floorbook.*"}[$__rate_interval]))',
                            "{{job}} {{instance}}",
                        )
                    ],
                    "percentunit",
                ),
                Chart(
                    "Memory",
                    [
                        (
                            'max by (job, instance) (process_resident_memory_bytes{job=~".*floorbook.*"})',
                            "{{job}} {{instance}}",
                        )
                    ],
                    "bytes",
                ),
                Chart(
                    "Files open, of those allowed",
                    [
                        (
                            'max by (job, instance) (process_open_fds{job=~".*floorbook.*"} / process_max_fds)',
                            "{{job}} {{instance}}",
                        )
                    ],
                    "percentunit",
                ),
                Chart(
                    "Starts in an hour",
                    [
                        (
                            'sum by (job) (changes(process_start_time_seconds{job=~".*floorbook.*"}[1h]))',
                            "{{job}}",
                        )
                    ],
                ),
            ),
        ),
    ),
)

_SEEN = "max by (device) (max_over_time(floorbook_gateway_heartbeat_timestamp_seconds[10m]))"
_DEVICES = Page(
    "devices",
    "Devices",
    "Which device is silent, and which line is damaged?",
    (
        Row(
            "Now",
            (
                Figure("Devices known", f"count({_SEEN})"),
                Figure("Silent for 30 s", f"count(time() - {_SEEN} > 30) or vector(0)", bad=1),
                Figure("Lines open", 'sum(floorbook_gateway_connections{kind="device"})'),
                Figure("Terminals connected", 'sum(floorbook_gateway_connections{kind="submit"})'),
                Figure("Screens connected", 'sum(floorbook_gateway_connections{kind="watch"})'),
                Figure(
                    "Largest clock difference",
                    "max(abs(floorbook_gateway_clock_skew_seconds))",
                    "s",
                    0.25,
                ),
            ),
        ),
        Row(
            "Devices",
            (
                Listing("Silent", f"topk(50, time() - {_SEEN} > 30)", "device", "s"),
                Chart(
                    "Connections",
                    [
                        (
                            "sum by (kind, instance) (floorbook_gateway_connections)",
                            "{{kind}} {{instance}}",
                        )
                    ],
                ),
                _latency(
                    "Acknowledging a device",
                    "floorbook_gateway_acknowledge_seconds",
                    '{origin="device"}',
                    limit=1,
                ),
                Chart(
                    "Damaged frames",
                    [(_rate("floorbook_gateway_device_frames_bad_total", "reason"), "{{reason}}")],
                    "ops",
                ),
                Chart(
                    "Not taken",
                    [
                        (
                            _rate(
                                "floorbook_gateway_refused_total",
                                "reason",
                                '{reason=~".*_DEVICE|WRONG_KEY|NOT_GREETED|OUT_OF_ORDER|TOO_MANY_OPEN|UNREADABLE_FACT"}',
                            ),
                            "{{reason}}",
                        )
                    ],
                    "ops",
                ),
                Chart(
                    "Gateways' clocks less the broker's",
                    [("max by (instance) (floorbook_gateway_clock_skew_seconds)", "{{instance}}")],
                    "s",
                    signed=True,
                ),
                Chart(
                    "Quarantined at the door",
                    [
                        (
                            _rate("floorbook_gateway_quarantined_total", "reason") + " > 0",
                            "{{reason}}",
                        )
                    ],
                    "ops",
                ),
            ),
        ),
    ),
)

_LEDGER = Page(
    "ledger",
    "Ledger",
    "Is any money unbalanced, and has finance got all of it?",
    (
        Row(
            "What must be zero",
            (
                Figure(
                    "Conflicts, a day",
                    "sum(increase(floorbook_ledger_conflicts_total[1d]))",
                    bad=0.5,
                ),
                Figure(
                    "Conflicts at tables, a day",
                    "sum(increase(floorbook_table_conflicts_total[1d]))",
                    bad=0.5,
                ),
                Figure(
                    "Unbalanced, a day",
                    'sum(increase(floorbook_quarantined_total{reason=~"UNBALANCED|FINGERPRINT_MISMATCH"}[1d]))',
                    bad=0.5,
                ),
                Figure(
                    "Quarantined by ledgers, a day",
                    "sum(increase(floorbook_ledger_quarantined_total[1d]))",
                    bad=0.5,
                ),
                Figure(
                    "Quarantined by tables, a day",
                    "sum(increase(floorbook_table_quarantined_total[1d]))",
                    bad=0.5,
                ),
                Figure(
                    "Quarantined by metrics, a day",
                    "sum(increase(floorbook_metrics_quarantined_total[1d]))",
                    bad=0.5,
                ),
            ),
        ),
        Row(
            "Booking",
            (
                Chart(
                    "Entries posted",
                    [(_rate("floorbook_ledger_entries_posted_total", "kind"), "{{kind}}")],
                    "ops",
                ),
                Chart(
                    "Wanted and published",
                    [
                        (_rate("floorbook_movements_total"), "movements wanted"),
                        (_rate("floorbook_entries_total"), "entries published"),
                    ],
                    "ops",
                    "The two lines lie on one another.",
                ),
                Chart(
                    "Not booked yet",
                    [("sum by (instance) (floorbook_ledger_lag_records)", "{{instance}}")],
                ),
                Chart(
                    "Finance is behind by",
                    [("max(floorbook_ledger_publish_lag_seconds)", "oldest entry")],
                    "s",
                    limit=5,
                ),
                Chart(
                    "Layouts with money on them",
                    [("sum(floorbook_ledger_layouts_open)", "tables")],
                    says="Rounds under way are among them; at rest it is zero.",
                ),
                _latency("One transaction", "floorbook_ledger_batch_seconds"),
            ),
        ),
    ),
)


def _objective(title: str, name: str, allowed: float) -> Row:
    windows = ("5m", "1h", "6h", "3d")
    return Row(
        title,
        (
            Figure(
                "Left of the month's budget",
                f"floorbook:{name}:budget_left",
                "percentunit",
                0.1,
                True,
                6,
            ),
            Figure(
                "Failed in 30 days", f"floorbook:{name}:ratio_30d", "percentunit", allowed, width=6
            ),
            Chart(
                "How many times too fast the budget burns",
                [(f"floorbook:{name}:ratio_{window} / {allowed}", window) for window in windows],
                says="14.4 over an hour calls somebody; 1 uses up the budget in the month.",
                limit=14.4,
            ),
        ),
    )


_SLO = Page(
    "slo",
    "Objectives",
    "Is what was promised kept?",
    (
        _objective("Settled within 1 s: 99.9 % of rounds", "settled_late", 0.001),
        _objective("Published to finance within 5 s: 99.9 % of the time", "published_late", 0.001),
        _objective("Readings taken within 1 s: 99.95 %", "readings_missed", 0.0005),
    ),
)

PAGES = (_FLOOR, _PIPELINE, _SERVICES, _DEVICES, _LEDGER, _SLO)
