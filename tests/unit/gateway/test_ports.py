"""What the unit tests use for a broker keeps the promises that the real one keeps."""

from tests.unit.gateway.ports import (
    PARTITIONS,
    FakeHistory,
    FakeLog,
    FloorLine,
    Lying,
    check_history,
    check_log,
)


async def test_the_fake_log_is_a_log() -> None:
    log = FakeLog()

    async def read() -> list[Lying]:
        return log.records

    await check_log(log, PARTITIONS, ["T1", "T2", "T3"], read)


async def test_the_fake_history_is_a_history() -> None:
    lines = [FloorLine(b"T1", b"", offset) for offset in range(10)]
    await check_history(FakeHistory(lines, kept_from=4), 0, 4, 10)
