"""Which addresses are public, range by range: nothing here depends on what Python knows of them."""

from __future__ import annotations

import ipaddress

import pytest

from graphvine.workers.common.fetching.addresses import is_public

# Of each range that is not public: whether its neighbours on both sides are.
RANGES = {
    "0.0.0.0/8": (None, True), "10.0.0.0/8": (True, True), "100.64.0.0/10": (True, True), "127.0.0.0/8": (True, True),
    "169.254.0.0/16": (True, True), "172.16.0.0/12": (True, True), "192.0.0.0/24": (True, True),
    "192.0.2.0/24": (True, True), "192.88.99.0/24": (True, True), "192.168.0.0/16": (True, True),
    "198.18.0.0/15": (True, True), "198.51.100.0/24": (True, True), "203.0.113.0/24": (True, True),
    "224.0.0.0/4": (True, False), "240.0.0.0/4": (False, None), "168.63.129.16/32": (True, True),
    "::/3": (None, True), "2001::/23": (True, True), "2001:db8::/32": (True, True), "3fff::/20": (True, True),
    "4000::/2": (True, False), "5f00::/16": (False, False), "fc00::/7": (False, False), "fe80::/10": (False, False),
    "fec0::/10": (False, False), "ff00::/8": (False, None), "64:ff9b:1::/48": (False, False),
    # IPv4-compatible, and translated as SIIT has it.
    "::8.8.8.8/128": (False, False), "::ffff:0:8.8.8.8/128": (False, False), "2002:a00::/24": (True, True),
    "2002:a9fe::/32": (True, True), "64:ff9b::c0a8:0/112": (True, True), "::ffff:192.168.0.0/112": (True, True),
}  # fmt: skip


@pytest.mark.parametrize("listed", RANGES)
def test_ranges_that_are_not_public(listed: str) -> None:
    network, (before, after) = ipaddress.ip_network(listed), RANGES[listed]
    inside = (network[0], network[-1], network[network.num_addresses // 2])
    assert not any(is_public(address) for address in inside)
    assert before is None or is_public(network[0] - 1) is before
    assert after is None or is_public(network[-1] + 1) is after


@pytest.mark.parametrize(
    "address", ["192.0.0.192", "168.63.129.16", "100.100.100.200", "fd00:ec2::254", "169.254.170.2"]
)
def test_addresses_at_which_clouds_serve_credentials_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
