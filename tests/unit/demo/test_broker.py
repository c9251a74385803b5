"""The local servers listen where nobody else does."""

import socket

import pytest

from floorbook.demo.broker import free_ports


def test_ports_are_different_and_free_to_listen_on() -> None:
    ports = free_ports(5)
    assert len(set(ports)) == 5
    for port in ports:
        with socket.create_server(("127.0.0.1", port)):
            pass


def test_port_in_use_is_not_offered() -> None:
    with socket.create_server(("127.0.0.1", free_ports(1)[0])) as server:
        taken = server.getsockname()[1]
        with pytest.raises(OSError, match="no 1 free ports"):
            free_ports(1, range(taken, taken + 1))


def test_a_port_given_is_given_to_nobody_else() -> None:
    (given,) = free_ports(1)
    with pytest.raises(OSError, match="no 1 free ports"):
        free_ports(1, range(given, given + 1))
