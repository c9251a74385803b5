"""Decides what is measured: every metric of every service, with its labels and all their values.

Each service makes the one class named after it, on a registry of its own. A label's values are a small fixed
set; where a set may grow, a value outside it is counted as `other`. The labels `table` and `device` are the
exception: they exist on a few gauges only, and a series is taken away when what it says is over.

Amounts of money here are for charts and alarms. Nobody settles or reports from them: that is the ledger's.
"""

from importlib import metadata
from types import MappingProxyType

import prometheus_client as prometheus
from prometheus_client import CollectorRegistry, ProcessCollector

from floorbook import topics
from floorbook.metrics.series import OTHER, Dimension, Metric, Metrics, label, open_to_other

__all__ = [
    "OTHER",
    "RULE_SETS",
    "BusinessMetrics",
    "EvaluatorMetrics",
    "GatewayMetrics",
    "LedgerMetrics",
    "RebuildMetrics",
    "TableMetrics",
    "every_metric",
    "new_registry",
]

# What a round takes from the event that completes it to the commit of its entry; promised is 1 s at p99.
SETTLE_BUCKETS = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
CALL_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZE_BUCKETS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0)


_THIRTEEN_CARDS = (
    "thirteen_cards",
    "compare_size",
    "no_arranging",
    "declare",
    "hundred_change",
    "shaoxing",
    "compare_size_2",
    "declare_2",
    "banker_xianggong",
    "four_player",
)
_MAHJONG = ("mahjong.traditional", "mahjong.simplified")

RULE_SETS = Dimension(
    ("game", "rule_set"),
    (
        *(("thirteen_cards", rule_set) for rule_set in _THIRTEEN_CARDS),
        ("pai_kau", "pai_kau"),
        *(("mahjong", rule_set) for rule_set in _MAHJONG),
        (OTHER, OTHER),
    ),
)
GAMES = open_to_other("game", *dict.fromkeys(game for game, _ in RULE_SETS.values[:-1]))
CURRENCIES = open_to_other("currency", "MOP", "HKD", "CNY", "USD", "TWD")
FACTS = open_to_other(
    "fact",
    "source_started",
    "table_opened",
    "table_closed",
    "equipment_changed",
    "view_asked",
    "table_suspended",
    "suspension_resolved",
    "reading_corrected",
    "round_voided",
    "settled_round_voided",
    "settled_round_corrected",
    "round_evaluated",
    "evaluation_refused",
    "timer_expired",
    "shuffle_sealed",
    "deck_cut",
    "deck_opened",
    "deck_faulty",
    "dice_thrown",
    "throw_void",
    "thirteen_cards",
    "pai_kau",
    "mahjong",
)
# Why the fold refuses, whatever the game, and then what only a game knows.
REFUSALS = open_to_other(
    "reason",
    "ALREADY_OPEN",
    "ANSWER_DIFFERS",
    "ANSWER_OF_OTHER_RULES",
    "ANSWER_UNFIT",
    "CONFLICT",
    "EQUIPMENT_TWICE",
    "LATE_SOURCE_START",
    "NOT_ALLOWED",
    "NOT_AN_ANSWER",
    "OWN_TERMINAL_MISSING",
    "ROUND_IN_PROGRESS",
    "ROUND_NOT_SETTLED",
    "ROUND_TOO_OLD",
    "ROUND_UNDER_CORRECTION",
    "ROUND_VOID",
    "SEQUENCE_GAP",
    "SEQUENCE_PASSED",
    "STALE_BOOT",
    "STALE_TIMER",
    "STILL_OWING",
    "SUSPENDED",
    "TABLE_CLOSED",
    "UNKNOWN_CAUSE",
    "UNKNOWN_EQUIPMENT",
    "UNKNOWN_FACT",
    "UNKNOWN_ROUND",
    "UNKNOWN_RULE_SET",
    "WRONG_DECISION",
    "WRONG_PHASE",
    "ALREADY_SET",
    "BAD_BET",
    "BAD_CARD",
    "BAD_CONFIG",
    "BAD_CUT",
    "BAD_DECK",
    "BAD_DICE",
    "BAD_LANE_SIZE",
    "BAD_LIMITS",
    "BANKER_FOUL",
    "BANKER_MISSING",
    "BANKER_NOT_ARRANGED",
    "BANKER_NOT_OPENED",
    "BETS_LOCKED",
    "BET_ON_BANKER",
    "CARDS_MISMATCH",
    "CARDS_TAKEN",
    "CUT_MISSING",
    "DEALT_NOT_AS_OPENED",
    "DECK_NOT_OPENED",
    "DECK_NOT_SEALED",
    "DUPLICATE_CARD",
    "FACT_OF_ANOTHER_GAME",
    "GATE_TAKEN",
    "HAND_SEEN",
    "HAS_PLACE",
    "NOTHING_CORRECTED",
    "NOT_ENOUGH_GATES",
    "NOT_HOLDER",
    "NOT_SHAKER",
    "NO_MISDEAL",
    "NO_PLACE",
    "NO_SPECIAL",
    "OPENING_MISMATCH",
    "OPTIONS_MISSING",
    "READING_IN_USE",
    "TIME_UP",
    "TOO_MANY",
    "UNKNOWN_BET",
    "UNKNOWN_GATE",
    "UNIT_MISSING",
    "UNKNOWN_READING",
    "BAD_AMOUNT",
    "BAD_ARRANGEMENT",
    "BAD_GATE",
    "BAD_ID",
    "BAD_TILES",
    "BANKER_BETS",
    "BANKER_NOT_SET",
    "BANKER_OUTSIDE",
    "BANK_TAKEN",
    "BANK_VACANT",
    "BET_ON_BANKER_GATE",
    "COBANKER_BETS",
    "CONSENT_MISSING",
    "FOUR_GATES_ONLY",
    "GATES_MISSING",
    "HEAD_TILES_MISSING",
    "HEAD_TILES_OUT",
    "MOVING_OVER",
    "NEVER_BET",
    "NOT_BANKER",
    "NO_CANDIDATE",
    "NO_PLAYER",
    "NO_TILES_REMAIN",
    "OUTSIDE_LIMITS",
    "PLAYERS_NOT_SET",
    "STAKE_BELOW_MINIMUM",
    "STAKE_MISSING",
    "TILES_REMAIN",
    "TURN_NOT_OVER",
    "BAD_HAND",
    "BAD_WIN",
    "BARRED",
    "DEALER_MISSING",
    "HAND_OVER",
    "NOT_A_SET",
    "NOT_A_WIN",
    "NOT_DRAWN",
    "NOT_ENOUGH_PLAYERS",
    "NOT_JUST_DRAWN",
    "NOT_NEXT_SEAT",
    "NO_KONG",
    "OUTRANKED",
    "OUT_OF_ORDER",
    "OWN_TILE",
    "PLACE_TAKEN",
    "TILES_NOT_HELD",
    "UNKNOWN_PLACE",
    "UNKNOWN_TILE",
    "WALL_EMPTY",
)
# Why a gateway refuses: nobody needs to look at the first few, the sender repeats; the others are quarantined.
_PASSING = (
    "DEADLINE_EXCEEDED",
    "FOLD_TOO_OLD",
    "OUT_OF_ORDER",
    "REQUEST_UNDER_WAY",
    "TOO_MANY_OPEN",
    "UNAVAILABLE",
)
_NOT_TAKEN = (
    "BAD_NUMBER",
    "NOT_GREETED",
    "OVERSIZED",
    "PERSON_NOT_OF_CLIENT",
    "ROLE_NOT_OF_CLIENT",
    "UNKNOWN_CLIENT",
    "UNKNOWN_DEVICE",
    "UNKNOWN_EQUIPMENT_FOR_CLIENT",
    "UNKNOWN_FACT",
    "UNKNOWN_TABLE_FOR_CLIENT",
    "UNKNOWN_TABLE_FOR_DEVICE",
    "UNREADABLE_FACT",
    "WRONG_FACT_FOR_DEVICE",
    "WRONG_KEY",
)
GATEWAY_REFUSALS = open_to_other("reason", *_PASSING, *_NOT_TAKEN)
# Why a record cannot be read, as the wire has it.
UNREADABLE = (
    "BAD_AMOUNT",
    "BAD_CURRENCY",
    "BAD_DATE",
    "BAD_EQUIPMENT",
    "BAD_EQUIPMENT_KIND",
    "BAD_FIELD",
    "BAD_FINGERPRINT",
    "BAD_ID",
    "BAD_NUMBER",
    "BAD_OBLIGATION",
    "BAD_PARTY",
    "BAD_ROLE",
    "BAD_SOURCE",
    "BAD_TABLE",
    "BAD_TEXT",
    "BAD_TIME",
    "EMPTY",
    "FINGERPRINT_MISMATCH",
    "FOLD_FAILED",
    "INCOMPLETE",
    "NOT_DECODABLE",
    "NO_TRANSFERS",
    "TOO_LARGE",
    "UNBALANCED",
    "UNKNOWN_FACT",
    "UNKNOWN_KIND",
    "WRONG_KEY",
    "WRONG_PARTITION",
)
QUARANTINE_REASONS = open_to_other("reason", *dict.fromkeys((*UNREADABLE, *_NOT_TAKEN)))
BAD_FRAMES = open_to_other(
    "reason",
    "CHECKSUM",
    "ESCAPE",
    "FORM",
    "LENGTH",
    "OUTSIDE",
    "OVERSIZED",
    "TYPE",
    "UNFINISHED",
    "VERSION",
)
# What evaluators are asked, by game: an operation that a game does not have is `other`.
OPERATIONS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "thirteen_cards": (
            "best_response",
            "check_deal",
            "classify",
            "compare",
            "count_legal",
            "deal",
            "holders",
            "house_way",
            "legal",
            "pareto",
            "settle",
            "special",
            OTHER,
        ),
        "pai_kau": (
            "bank_turn",
            "compare_hands",
            "compare_pairs",
            "deal",
            "first_gate",
            "next_banker",
            "next_stake",
            "rank_pair",
            "set_hand",
            "settle_round",
            OTHER,
        ),
        "mahjong": (
            "deal",
            "hand_log",
            "liability",
            "payment",
            "priority",
            "turn",
            "waits",
            "win",
            OTHER,
        ),
        OTHER: (OTHER,),
    }
)
ASKED_OF_RULE_SETS = Dimension(
    ("op", "game", "rule_set"),
    tuple((op, game, rule_set) for game, rule_set in RULE_SETS.values for op in OPERATIONS[game]),
)
ASKED_OF_GAMES = Dimension(
    ("op", "game"), tuple((op, game) for game, ops in OPERATIONS.items() for op in ops)
)
VERDICTS = label("verdict", "applied", "refused", "known_already")
OBLIGATIONS = label("kind", "evaluation", "timer")
MOVEMENT_KINDS = label("kind", "hold", "settlement", "release", "reversal")
# The metrics service reads no table events: they hold what nobody may see yet.
TOPICS = label("topic", *(topic.name for topic in topics.ALL if "metrics" in topic.readers))
# What is refused at a gateway's door lies in no topic; what lies in quarantine is never put there again.
NO_TOPIC = "none"
QUARANTINED_TOPICS = open_to_other(
    "topic",
    topics.TABLE_EVENTS.name,
    topics.FLOOR.name,
    topics.MOVEMENTS.name,
    topics.LEDGER_ENTRIES.name,
    NO_TOPIC,
)


class GatewayMetrics(Metrics):
    """What a gateway measures."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the gateway's metrics, registered."""
        super().__init__(registry)
        self.events_accepted = self.counter(
            "floorbook_gateway_events_accepted_total",
            "Events that the broker has confirmed, by kind of fact.",
            FACTS,
        )
        self.refused = self.counter(
            "floorbook_gateway_refused_total",
            "Readings and requests that never reached the log, by reason.",
            GATEWAY_REFUSALS,
        )
        self.acknowledge_seconds = self.histogram(
            "floorbook_gateway_acknowledge_seconds",
            "From the arrival of a fact to the broker's confirmation.",
            CALL_BUCKETS,
            label("origin", "device", "client"),
        )
        self.submit_seconds = self.histogram(
            "floorbook_gateway_submit_seconds",
            "From the arrival of a floor client's request to its answer.",
            CALL_BUCKETS,
            label("outcome", "applied", "refused", "known_already", "deadline"),
        )
        self.heartbeat_timestamp_seconds = self.open_gauge(
            "floorbook_gateway_heartbeat_timestamp_seconds",
            "When a device was last heard, in Unix time; its age is time() minus this.",
            "device",
        )
        self.connections = self.gauge(
            "floorbook_gateway_connections",
            "Connections that are open now.",
            label("kind", "device", "submit", "watch"),
        )
        self.clock_skew_seconds = self.gauge(
            "floorbook_gateway_clock_skew_seconds",
            "The gateway's clock less the broker's, at the last confirmation.",
        )
        self.device_frames_bad = self.counter(
            "floorbook_gateway_device_frames_bad_total",
            "Frames from devices that could not be used, by reason.",
            BAD_FRAMES,
        )
        self.ready = self.gauge(
            "floorbook_gateway_ready",
            "1 while this gateway takes what comes and its clock is right, as /readyz says; else 0.",
        )
        self.floor_lag_records = self.gauge(
            "floorbook_gateway_floor_lag_records",
            "Floor records that this gateway has not read yet.",
        )
        self.quarantined = self.counter(
            "floorbook_gateway_quarantined_total",
            "Records that this gateway sent to quarantine, by reason.",
            QUARANTINE_REASONS,
        )


class TableMetrics(Metrics):
    """What a table processor measures."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the table processor's metrics, registered."""
        super().__init__(registry)
        self.events_folded = self.counter(
            "floorbook_table_events_folded_total",
            "Events folded, by verdict; a refused one is ordinary business.",
            VERDICTS,
        )
        self.batch_seconds = self.histogram(
            "floorbook_table_batch_seconds",
            "From taking a batch to its confirmed watermark.",
            CALL_BUCKETS,
        )
        self.batch_events = self.histogram(
            "floorbook_table_batch_events", "Events in a batch.", SIZE_BUCKETS
        )
        self.holes_healed = self.counter(
            "floorbook_table_holes_healed_total",
            "Stretches of the log that Faust left out and the processor read itself.",
        )
        self.hole_events = self.counter(
            "floorbook_table_hole_events_total", "Events in the stretches that were healed."
        )
        self.watchdog_reads = self.counter(
            "floorbook_table_watchdog_reads_total",
            "Times that the watchdog read the log because nothing came.",
        )
        self.obligations_open = self.gauge(
            "floorbook_table_obligations_open",
            "Evaluations and timers that tables owe now.",
            OBLIGATIONS,
        )
        self.obligation_oldest_seconds = self.gauge(
            "floorbook_table_obligation_oldest_seconds",
            "How long the oldest obligation has been due; 0 if none is.",
            OBLIGATIONS,
        )
        self.owing_seconds = self.open_gauge(
            "floorbook_table_owing_seconds",
            "How long a table's evaluation has been due; only tables that are late.",
            "table",
        )
        self.suspended = self.open_gauge(
            "floorbook_table_suspended",
            "1 while a table is suspended; only tables that are.",
            "table",
        )
        self.last_applied_timestamp_seconds = self.gauge(
            "floorbook_table_last_applied_timestamp_seconds",
            "When this process last applied an event, in Unix time; the pause is time() minus this.",
        )
        self.tables = self.gauge(
            "floorbook_table_tables", "Tables that are open, of the partitions assigned here."
        )
        self.partitions = self.gauge("floorbook_table_partitions", "Partitions assigned here.")
        self.recovery_seconds = self.gauge(
            "floorbook_table_recovery_seconds", "How long the last recovery of states took."
        )
        self.lag_records = self.gauge(
            "floorbook_table_lag_records",
            "Events in the assigned partitions that are not folded yet.",
        )
        self.lag_seconds = self.gauge(
            "floorbook_table_lag_seconds",
            "How far the fold is behind the end of the log; 0 if all is folded.",
        )
        self.quarantined = self.counter(
            "floorbook_table_quarantined_total",
            "Records that this processor sent to quarantine, by reason.",
            QUARANTINE_REASONS,
        )
        self.conflicts = self.counter(
            "floorbook_table_conflicts_total",
            "A known id with other content: somebody must look at each.",
            label("kind", "event", "answer"),
        )
        self.evaluation_attempts = self.counter(
            "floorbook_table_evaluation_attempts_total",
            "Calls of the evaluator, by outcome; what fails is tried again.",
            label(
                "outcome",
                "answered",
                "refused",
                "unknown_version",
                "deadline",
                "unavailable",
                "failed",
            ),
        )
        self.evaluation_seconds = self.histogram(
            "floorbook_table_evaluation_seconds",
            "How long one call of the evaluator took.",
            CALL_BUCKETS,
        )


class EvaluatorMetrics(Metrics):
    """What an evaluator measures."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the evaluator's metrics, registered."""
        super().__init__(registry)
        self.requests = self.counter(
            "floorbook_evaluator_requests_total",
            "Requests answered, by operation, rule set and outcome.",
            ASKED_OF_RULE_SETS,
            label("outcome", "evaluated", "refused", "unknown_version", "failed"),
        )
        self.request_seconds = self.histogram(
            "floorbook_evaluator_request_seconds",
            "How long one evaluation took.",
            CALL_BUCKETS,
            ASKED_OF_GAMES,
        )


class LedgerMetrics(Metrics):
    """What a ledger writer measures."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the ledger's metrics, registered."""
        super().__init__(registry)
        self.entries_posted = self.counter(
            "floorbook_ledger_entries_posted_total", "Journal entries committed.", MOVEMENT_KINDS
        )
        self.duplicates = self.counter(
            "floorbook_ledger_duplicates_total",
            "Movements that were booked already, with the same money: ordinary after a restart.",
        )
        self.conflicts = self.counter(
            "floorbook_ledger_conflicts_total",
            "Movements that were booked already with other money: somebody must look at each.",
        )
        self.batch_seconds = self.histogram(
            "floorbook_ledger_batch_seconds", "How long one transaction took.", CALL_BUCKETS
        )
        self.batch_movements = self.histogram(
            "floorbook_ledger_batch_movements", "Movements in one transaction.", SIZE_BUCKETS
        )
        self.settle_seconds = self.histogram(
            "floorbook_ledger_settle_seconds",
            "From the observe time of the event that completed a round to the commit of its settlement.",
            SETTLE_BUCKETS,
            RULE_SETS,
        )
        self.lag_records = self.gauge(
            "floorbook_ledger_lag_records", "Movements that are not booked yet."
        )
        self.lag_seconds = self.gauge(
            "floorbook_ledger_lag_seconds",
            "How far the books are behind the end of the movements; 0 if all are booked.",
        )
        self.publish_lag_entries = self.gauge(
            "floorbook_ledger_publish_lag_entries",
            "Entries in the database that the broker has not confirmed yet.",
        )
        self.publish_lag_seconds = self.gauge(
            "floorbook_ledger_publish_lag_seconds",
            "Age of the oldest entry that the broker has not confirmed yet; 0 if none.",
        )
        self.database_up = self.gauge(
            "floorbook_ledger_database_up", "1 while the database answers, else 0."
        )
        self.layouts_open = self.gauge(
            "floorbook_ledger_layouts_open",
            "Tables whose layout account is not zero: those with a round under way, and no others.",
        )
        self.quarantined = self.counter(
            "floorbook_ledger_quarantined_total",
            "Records that this ledger sent to quarantine, by reason.",
            QUARANTINE_REASONS,
        )


class BusinessMetrics(Metrics):
    """What the metrics service measures from the streams: the business, whoever carried it out."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the metrics of the business, registered."""
        super().__init__(registry)
        self.rounds_opened = self.counter(
            "floorbook_rounds_opened_total", "Rounds opened for bets.", RULE_SETS
        )
        self.rounds_settled = self.counter(
            "floorbook_rounds_settled_total", "Rounds settled for the first time.", RULE_SETS
        )
        # Nothing is taken back from what was counted, so the rounds whose settlement stands are
        # those settled less those made void after it.
        self.rounds_void = self.counter(
            "floorbook_rounds_void_total",
            "Rounds made void, by whether they had been settled.",
            RULE_SETS,
            label("stage", "before_settlement", "after_settlement"),
        )
        self.reversals = self.counter(
            "floorbook_reversals_total", "Settlements taken back.", RULE_SETS
        )
        self.movements = self.counter(
            "floorbook_movements_total", "Movements that tables want booked.", MOVEMENT_KINDS
        )
        self.entries = self.counter(
            "floorbook_entries_total", "Journal entries that the ledger published.", MOVEMENT_KINDS
        )
        self.bets = self.counter("floorbook_bets_total", "Bets held.", RULE_SETS)
        self.handle_minor_units = self.counter(
            "floorbook_handle_minor_units_total",
            "Sum of the bets held, in minor units.",
            GAMES,
            CURRENCIES,
        )
        self.handle_released_minor_units = self.counter(
            "floorbook_handle_released_minor_units_total",
            "Sum of the bets that void rounds gave back, in minor units.",
            GAMES,
            CURRENCIES,
        )
        # These fall when players win or a settlement is reversed, so they are no counters.
        self.house_win_minor_units = self.gauge(
            "floorbook_house_win_minor_units",
            "What the house's banks and co-banks won less what they lost since this process began, in minor units.",
            GAMES,
            CURRENCIES,
        )
        self.commission_minor_units = self.gauge(
            "floorbook_commission_minor_units",
            "Commission taken less commission given back since this process began, in minor units.",
            GAMES,
            CURRENCIES,
        )
        self.charge_minor_units = self.gauge(
            "floorbook_charge_minor_units",
            "Charges taken less charges given back since this process began, in minor units.",
            GAMES,
            CURRENCIES,
        )
        self.refusals = self.counter(
            "floorbook_refusals_total", "Acts that the rules refused, by reason.", REFUSALS
        )
        self.quarantined = self.counter(
            "floorbook_quarantined_total",
            "What is in quarantine, by the topic in which it lies and by reason.",
            QUARANTINED_TOPICS,
            QUARANTINE_REASONS,
        )
        self.settle_seconds = self.histogram(
            "floorbook_settle_seconds",
            "From the observe time of the event that completed a round to the booking of its settlement.",
            SETTLE_BUCKETS,
            RULE_SETS,
        )
        self.lag_records = self.gauge(
            "floorbook_metrics_lag_records",
            "Records in the assigned partitions that this service has not read yet.",
            TOPICS,
        )
        self.lag_seconds = self.gauge(
            "floorbook_metrics_lag_seconds",
            "How far this service is behind the end of a topic; 0 if all is read.",
            TOPICS,
        )
        self.partitions = self.gauge(
            "floorbook_metrics_partitions", "Partitions assigned here.", TOPICS
        )
        self.records = self.counter(
            "floorbook_metrics_records_total",
            "Records read, by topic; repeats are among them.",
            TOPICS,
        )
        self.repeats = self.counter(
            "floorbook_metrics_repeats_total",
            "Records that were counted before and are not again: ordinary after a restart.",
            TOPICS,
        )
        self.unreadable = self.counter(
            "floorbook_metrics_unreadable_total",
            "Records that this service could not read; those in quarantine stay where they are.",
            TOPICS,
        )
        self.own_quarantined = self.counter(
            "floorbook_metrics_quarantined_total",
            "Records that this service sent to quarantine, by reason.",
            QUARANTINE_REASONS,
        )


class RebuildMetrics(Metrics):
    """What repeated checks of the log measure."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Return the metrics of a check, registered."""
        super().__init__(registry)
        self.differences = self.gauge(
            "floorbook_rebuild_differences",
            "What the last check found otherwise than the log says; each is to be explained.",
            label("what", "stored", "movement", "watermark"),
        )
        self.checked_timestamp_seconds = self.gauge(
            "floorbook_rebuild_checked_timestamp_seconds",
            "When the last whole check ended, or this process began, in Unix time.",
        )
        self.failures = self.counter(
            "floorbook_rebuild_failures_total", "Checks that could not be made to their end."
        )
        self.events = self.gauge("floorbook_rebuild_events", "Events that the last check folded.")
        self.seconds = self.gauge("floorbook_rebuild_seconds", "How long the last check took.")


def new_registry(service: str) -> CollectorRegistry:
    """Return a registry for one process, with what the system knows about it and the version it runs."""
    # Else each series has a second one that says when it was made.
    prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    build = prometheus.Gauge(
        "floorbook_build_info",
        "1, with the version that runs.",
        ("service", "version"),
        registry=registry,
    )
    build.labels(service, metadata.version("floorbook")).set(1)
    return registry


def every_metric() -> dict[str, tuple[Metric, ...]]:
    """Return all metrics by service, for whoever checks dashboards, alerts and documents."""
    return {
        "gateway": GatewayMetrics(CollectorRegistry()).declared(),
        "table": TableMetrics(CollectorRegistry()).declared(),
        "evaluator": EvaluatorMetrics(CollectorRegistry()).declared(),
        "ledger": LedgerMetrics(CollectorRegistry()).declared(),
        "metrics": BusinessMetrics(CollectorRegistry()).declared(),
        "rebuild": RebuildMetrics(CollectorRegistry()).declared(),
    }
