"""Decides how a client of Kafka shows who it is, and how it knows the broker: TLS, SCRAM, both or neither.

One login serves the three kinds of client that there are; what it says is the same for all.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

MECHANISM: Final = "SCRAM-SHA-512"


@dataclass(frozen=True, slots=True)
class Login:
    """Who a client is (nobody in particular if `user` is empty), and whom it trusts (without TLS if `ca` is)."""

    user: str = ""
    password: str = field(default="", repr=False)
    ca: str = ""

    def faults(self) -> list[str]:
        """Return what cannot be used in it, one sentence each."""
        found = []
        if bool(self.user) != bool(self.password):
            found.append(
                "FLOORBOOK_KAFKA_USER and FLOORBOOK_KAFKA_PASSWORD are needed together, or not at all."
            )
        if self.ca and not Path(self.ca).is_file():
            found.append(f"FLOORBOOK_KAFKA_CA is {self.ca!r}: there is no such file.")
        return found

    @property
    def protocol(self) -> str:
        """Return Kafka's name for what is spoken."""
        if self.user:
            return "SASL_SSL" if self.ca else "SASL_PLAINTEXT"
        return "SSL" if self.ca else "PLAINTEXT"

    def kafka_python(self) -> Mapping[str, Any]:
        """Return the arguments of kafka-python's clients."""
        return {**self._shared(), **({"ssl_cafile": self.ca} if self.ca else {})}

    def aiokafka(self) -> Mapping[str, Any]:
        """Return the arguments of aiokafka's clients."""
        context = self._context()
        return {**self._shared(), **({"ssl_context": context} if context else {})}

    def faust(self) -> Any:
        """Return Faust's credentials; None if there are none."""
        import faust  # only the table processor has it loaded

        if self.user:
            return faust.SASLCredentials(
                username=self.user,
                password=self.password,
                mechanism=MECHANISM,
                ssl_context=self._context(),
            )
        return faust.SSLCredentials(context=self._context()) if self.ca else None

    def _shared(self) -> dict[str, str]:
        if not self.user:
            return {"security_protocol": self.protocol}
        return {
            "security_protocol": self.protocol,
            "sasl_mechanism": MECHANISM,
            "sasl_plain_username": self.user,
            "sasl_plain_password": self.password,
        }

    def _context(self) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=self.ca) if self.ca else None


NOBODY: Final = Login()
"""The login of a broker that asks nobody who he is."""
