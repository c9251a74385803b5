"""What can be drilled is what the page says, by alerts that exist; what is missing is named."""

import asyncio
import re
from pathlib import Path

import pytest

from floorbook.demo import drill
from floorbook.demo.casino import build
from floorbook.demo.devices import Device, OwnLine
from floorbook.demo.drill import Times
from floorbook.demo.drill_faults import FAULTS
from floorbook.demo.processes import ProgramNotFound, Supervisor
from floorbook.demo.prometheus import Monitoring
from floorbook.demo.services import Rig
from floorbook.settings import Address
from tests.unit import expressions
from tests.unit.expressions import ROOT

PAGE = ROOT / "docs" / "drills.md"


def test_every_fault_brings_alerts_that_exist_and_the_page_names_them() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|.*?\| (.+?) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    named = {fault: tuple(re.findall(r"\[(\w+)\]\(runbooks/\1\.md\)", row)) for fault, row in rows}
    assert named == {name: fault.alerts for name, fault in FAULTS.items()}
    for fault in FAULTS.values():
        assert fault.alerts
        assert set(fault.alerts) <= set(expressions.alerts())


def test_every_fault_says_what_it_is() -> None:
    for fault in FAULTS.values():
        assert fault.make.__doc__


def test_a_missing_program_is_named_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(tmp_path)
    rig = Rig(supervisor, build(1, 1).registry())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ProgramNotFound, match=r"prometheus .*apt-get install .*prometheus-alertm"):
        Monitoring(supervisor, rig)
    program = tmp_path / "prometheus"
    program.touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    Monitoring(supervisor, rig)
    with pytest.raises(ProgramNotFound, match=r"^prometheus-alertmanager is not on this machine"):
        Monitoring(supervisor, rig, webhook="http://127.0.0.1:1/")
    assert supervisor.children == {}


@pytest.mark.parametrize("wrong", [[], ["no-such-fault"], ["poison", "--shorter", "61"]])
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        drill.main(wrong)
    assert ended.value.code == 2
    assert "floorbook drill" in capsys.readouterr().err


def test_times_are_told_in_one_line() -> None:
    times = Times("poison", {"RecordQuarantined": 3.04}, 5.0, {"RecordQuarantined": 65.96}, ("X",))
    assert times.line() == (
        "poison: RecordQuarantined 3.0 s at the webhook; healed 5.0 s; "
        "resolved RecordQuarantined 66.0 s; also X"
    )


async def test_a_device_whose_cable_is_pulled_is_not_heard_until_it_is_back() -> None:
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def gateway(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1024):
            heard.put_nowait(data)
        heard.put_nowait(b"")
        writer.close()

    server = await asyncio.start_server(gateway, "127.0.0.1", 0)
    line = OwnLine([Address("127.0.0.1", server.sockets[0].getsockname()[1])])
    line.add(Device("dice", "T001", "key", line, 1))
    running = asyncio.create_task(line.run())
    try:
        assert b"dice" in await heard.get()
        line.unplug()
        assert await heard.get() == b""
        # Nobody calls while the cable is out, however often the line may be opened.
        line.reopen()
        await asyncio.sleep(0.2)
        assert heard.empty()
        line.plug()
        assert b"dice" in await heard.get()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        server.close()
