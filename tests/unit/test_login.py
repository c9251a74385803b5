"""What a client says to Kafka about itself, and what is refused before it asks."""

from pathlib import Path

import faust
import pytest

from floorbook import settings
from floorbook.login import NOBODY, Login
from floorbook.settings import Settings


@pytest.mark.parametrize(
    ("login", "protocol"),
    [
        (NOBODY, "PLAINTEXT"),
        (Login(ca="ca.crt"), "SSL"),
        (Login("floor", "hidden"), "SASL_PLAINTEXT"),
        (Login("floor", "hidden", "ca.crt"), "SASL_SSL"),
    ],
)
def test_what_is_given_says_what_is_spoken(login: Login, protocol: str) -> None:
    assert login.kafka_python()["security_protocol"] == protocol


def test_a_user_is_the_same_to_all_three_clients() -> None:
    login = Login("floor", "hidden")
    expected = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "floor",
        "sasl_plain_password": "hidden",
    }
    assert login.kafka_python() == expected
    assert login.aiokafka() == expected
    credentials = login.faust()
    assert isinstance(credentials, faust.SASLCredentials)
    assert (credentials.username, credentials.password) == ("floor", "hidden")
    assert str(credentials.mechanism.value) == "SCRAM-SHA-512"


def test_nobody_has_no_credentials() -> None:
    assert NOBODY.faust() is None


def test_a_password_is_shown_nowhere() -> None:
    read = settings.read(
        {"FLOORBOOK_KAFKA_USER": "floor", "FLOORBOOK_KAFKA_PASSWORD": "hidden"}, None
    )
    assert isinstance(read, Settings)
    assert "hidden" not in repr(read) + repr(read.login) + repr(settings.describe(read))


def test_half_a_login_is_refused() -> None:
    for given in ("FLOORBOOK_KAFKA_USER", "FLOORBOOK_KAFKA_PASSWORD"):
        faults = settings.read({given: "hidden"}, None)
        assert isinstance(faults, list)
        assert "together" in faults[0]
        assert "hidden" not in faults[0]


def test_certificates_that_are_not_there_are_refused(tmp_path: Path) -> None:
    faults = settings.read({"FLOORBOOK_KAFKA_CA": str(tmp_path / "ca.crt")}, None)
    assert isinstance(faults, list)
    assert "there is no such file" in faults[0]
