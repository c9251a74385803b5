"""Decides what the simulation remembers of a run, so that reconciliation can hold the log against it.

What terminals were told, what was sent wrong on purpose, and what was given up: nothing of it is needed to
recompute the money.
"""

from collections import Counter


class Tally:
    """What happened in a run, as the simulated floor saw it."""

    def __init__(self) -> None:
        """Return a tally of nothing."""
        self.rounds_played = 0
        self.rounds_settled = 0
        self.rounds_void = 0
        self.told: dict[str, str] = {}
        """The first verdict on each act by event id: the refusal's code, empty when applied."""
        self.evaluations: Counter[str] = Counter()
        """How often each settled round was judged so far, its corrections included."""
        self.lost_readings: dict[str, str] = {}
        """Readings that the fold had to refuse, by event id, with the code expected."""
        self.wrong_sent: Counter[str] = Counter()
        """What must be quarantined by a gateway, by reason."""
        self.poisoned: set[tuple[int, int]] = set()
        """Records of the log, by partition and offset, that were written so that nobody can read them."""
        self.bad_frames = 0
        """Frames and bytes on devices' lines that a gateway must count as bad."""
        self.tricks: Counter[str] = Counter()
        """What went wrong on purpose, by kind."""
        self.happened: Counter[str] = Counter()
        """What a game's people were shown and would tell of, by kind: nothing of it went wrong."""
        self.faults: list[str] = []
        """What was answered otherwise than the rules say."""
        self.acts_repeated = 0
        """Acts that were sent again because no verdict came."""
