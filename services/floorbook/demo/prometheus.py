"""Decides how Prometheus and Alertmanager watch the local services: for the floor's page, and for drills.

They read the rules of deploy/prometheus, for a drill in a copy whose waits and windows are shorter (drill_rules.py).
Both programs are the machine's; where they are missing the error says how they are got.
"""

import asyncio
import json
import re
import shutil
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from floorbook.demo.broker import free_ports
from floorbook.demo.drill_rules import sooner
from floorbook.demo.processes import Child, Program, ProgramFailed, ProgramNotFound, Supervisor
from floorbook.demo.services import Rig, get
from floorbook.settings import Address

PACKAGES: Final = "apt-get install --no-install-recommends prometheus prometheus-alertmanager"

_HOST: Final = "127.0.0.1"
_DEPLOYED: Final = Path(__file__).parents[3] / "deploy" / "prometheus"
_PAGE: Final = "floor.html"
_READY_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 0.1
_PROMETHEUS: Final = ("prometheus",)
# Debian's name and that of everybody else.
_ALERTMANAGER: Final = ("prometheus-alertmanager", "alertmanager")
_RECEIVER: Final = re.compile(r"(?m)^(\s*- url: )\S+$")


class Monitoring:
    """Prometheus over the services of a rig, and Alertmanager if somebody is to be told."""

    def __init__(
        self, supervisor: Supervisor, rig: Rig, *, webhook: str = "", shorter: int = 1
    ) -> None:
        """Return both, not started; `shorter` divides the rules' waits and windows.

        `ProgramNotFound` if one is missing. Without a `webhook` there is no Alertmanager.
        """
        self._supervisor = supervisor
        self._rig = rig
        self._webhook = webhook
        self._shorter = shorter
        self._folder = supervisor.folder / "prometheus"
        self._children: list[Child] = []
        self._prometheus = _program(_PROMETHEUS)
        self._alertmanager = _program(_ALERTMANAGER) if webhook else ""
        if not (_DEPLOYED / "rules").is_dir():
            raise ProgramNotFound(
                f"the rules are not in {_DEPLOYED}: Prometheus is started from a checkout only"
            )
        port, other = free_ports(2)
        self.address = Address(_HOST, port)
        self._alertmanager_address = Address(_HOST, other)

    @property
    def page(self) -> str:
        """Return the URL of the floor's page."""
        return f"http://{self.address}/consoles/{_PAGE}"

    async def start(self) -> None:
        """Return when all that was asked for answers."""
        self._write()
        if self._webhook:
            await self._run(
                "alertmanager",
                self._alertmanager_address,
                (
                    self._alertmanager,
                    f"--config.file={self._folder / 'alertmanager.yml'}",
                    f"--storage.path={self._folder / 'alertmanager'}",
                    f"--web.listen-address={self._alertmanager_address}",
                    "--cluster.listen-address=",  # it has no peers
                ),
            )
        await self._run(
            "prometheus",
            self.address,
            (
                self._prometheus,
                f"--config.file={self._folder / 'prometheus.json'}",
                f"--storage.tsdb.path={self._folder / 'data'}",
                f"--web.listen-address={self.address}",
                f"--web.console.templates={_DEPLOYED / 'consoles'}",
                f"--web.console.libraries={_DEPLOYED / 'consoles'}",
            ),
        )

    async def stop(self) -> None:
        """Return when both have stopped; who fires is told no more."""
        for child in reversed(self._children):
            await child.stop()

    def _write(self) -> None:
        rules = self._folder / "rules"
        rules.mkdir(parents=True)
        for file in (_DEPLOYED / "rules").glob("*.yaml"):
            text = sooner(file.read_text(encoding="utf-8"), self._shorter)
            (rules / file.name).write_text(text, encoding="utf-8")
        # JSON is YAML, too.
        configuration = json.dumps(self._configuration(rules), indent=1)
        (self._folder / "prometheus.json").write_text(configuration, encoding="utf-8")
        if self._webhook:
            text = (_DEPLOYED / "alertmanager.yml").read_text(encoding="utf-8")
            text = _RECEIVER.sub(rf"\g<1>{self._webhook}", sooner(text, self._shorter))
            (self._folder / "alertmanager.yml").write_text(text, encoding="utf-8")

    def _configuration(self, rules: Path) -> dict[str, Any]:
        """Return deploy/prometheus/prometheus.yml as it is on one machine: fixed targets, read each second."""
        targets: dict[str, list[str]] = {}
        for name in self._rig.services:
            targets.setdefault(name.partition("-")[0], []).append(str(self._rig.probes_of(name)))
        second = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        configuration: dict[str, Any] = {
            "global": second,
            "rule_files": [str(rules / "*.yaml")],
            "scrape_configs": [
                {"job_name": f"floorbook-{kind}", "static_configs": [{"targets": addresses}]}
                for kind, addresses in targets.items()
            ],
        }
        if self._webhook:
            alertmanagers = {"static_configs": [{"targets": [str(self._alertmanager_address)]}]}
            configuration["alerting"] = {"alertmanagers": [alertmanagers]}
        return configuration

    async def _run(self, name: str, address: Address, arguments: tuple[str, ...]) -> None:
        child = await self._supervisor.start(
            Program(name, arguments, folder=self._folder, server=True)
        )
        self._children.append(child)
        await _ready(child, address)
        self._supervisor.progress(f"{name}: ready on {address}")


async def _ready(child: Child, address: Address) -> None:
    try:
        async with asyncio.timeout(_READY_SECONDS):
            while True:
                if child.exits:
                    raise ProgramFailed(child.explain("does not start"))
                found = await get(address, "/-/ready")
                if found is not None and found[0] == HTTPStatus.OK:
                    return
                await asyncio.sleep(_LOOK_SECONDS)
    except TimeoutError:
        raise ProgramFailed(
            child.explain(f"does not answer within {_READY_SECONDS:.0f} s")
        ) from None


def _program(names: Iterable[str]) -> str:
    found = next((found for name in names if (found := shutil.which(name))), None)
    if found is None:
        raise ProgramNotFound(f"{next(iter(names))} is not on this machine: {PACKAGES}")
    return found
