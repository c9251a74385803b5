"""Decides whether facts of a newer schema are in the log: else an upgrade has proved nothing."""

import sys

from floorbook import topics
from floorbook.table.rebuild import read
from floorbook.v1 import event_pb2
from floorbook.wire import envelope


def main(argv: list[str]) -> int:
    """Return 0 if the log of the broker `argv[0]` holds facts newer than this code, and show how many."""
    counts: dict[int, int] = {}
    for record in read([argv[0]], topics.TABLE_EVENTS):
        schema = event_pb2.Event.FromString(record.value).schema
        counts[schema] = counts.get(schema, 0) + 1
    newer = sum(count for schema, count in counts.items() if schema > envelope.FOLD_SCHEMA)
    sys.stdout.write(f"{newer} of {sum(counts.values())} events are of a newer schema\n")
    return 0 if newer else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
