"""Where the HTTP server listens, and by which names it may be called."""

from __future__ import annotations

import socket
from typing import cast

import pytest

from lukasa.errors import StoreError
from lukasa.mcp.http import Address, listen


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - nothing is bound to it
        ("::", False),
        ("192.168.1.7", False),
        ("memory.example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_only_this_machines_own_addresses_are_local(host: str, local: bool) -> None:
    assert Address(host=host).is_local is local


def test_an_address_lets_in_its_own_names_and_nothing_by_pattern() -> None:
    security = Address(host="::1", names=("memory.example.com",)).security
    assert security.enable_dns_rebinding_protection
    assert "[::1]:*" in security.allowed_hosts
    assert "memory.example.com" in security.allowed_hosts
    assert "https://memory.example.com" in security.allowed_origins
    assert not [name for name in security.allowed_hosts if name.startswith("*")]


def test_a_port_that_is_taken_is_an_error_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = cast("int", taken.getsockname()[1])
        with pytest.raises(StoreError, match="another --port"):
            listen(Address(port=port))
