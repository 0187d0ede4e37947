import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { getClientIpKey } from "#http/client-ip.ts";
import { toNetworkPrefix, parseIpAddress, parseIpAddressSet } from "#lib/ip-address.ts";

const createRequest = (remoteAddress: string | undefined, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

const noProxies = parseIpAddressSet([])!;
const proxies = parseIpAddressSet(["10.0.0.0/8", "2001:db8:ffff::/48", "loopback"])!;

const getKey = (remoteAddress: string | undefined, headers?: Record<string, string>): string =>
  getClientIpKey(createRequest(remoteAddress, headers), proxies);
const getKeyForXForwardedFor = (value: string, peer = "10.0.0.1"): string => getKey(peer, { "x-forwarded-for": value });
const getKeyForForwarded = (value: string, peer = "10.0.0.1"): string => getKey(peer, { forwarded: value });

test("the key is the IPv4 address or the IPv6 /64 network, in every notation (X5)", () => {
  const cases: [key: string, notations: string[]][] = [
    [
      "192.0.2.1",
      [
        "192.0.2.1",
        "::ffff:192.0.2.1",
        "::FFFF:192.0.2.1",
        "::ffff:c000:201",
        "0:0:0:0:0:ffff:192.0.2.1",
        "::192.0.2.1",
        "0000:0000:0000:0000:0000:ffff:c000:0201",
      ],
    ],
    [
      "2001:db8:0:1::/64",
      [
        "2001:db8:0:1::1",
        "2001:DB8:0:1::1",
        "2001:0db8:0000:0001:0000:0000:0000:0001",
        "2001:db8:0:1:ffff:ffff:ffff:ffff",
        "2001:db8:0:1::1%eth0",
        "2001:db8:0:1::192.0.2.1",
      ],
    ],
    ["0:0:0:0::/64", ["::1", "::", "0::1"]],
    ["fe80:0:0:0::/64", ["fe80::1%eth0", "fe80::2%eth1"]],
  ];
  for (const [expected, notations] of cases) {
    for (const notation of notations)
      assert.equal(getClientIpKey(createRequest(notation), noProxies), expected, notation);
  }
  assert.equal(getClientIpKey(createRequest(undefined), noProxies), "unknown");
  assert.equal(getClientIpKey(createRequest(""), noProxies), "unknown");
});

test("every notation of every IP address in one /64 network has the same key (X5)", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const half = fc.array(group, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, fc.boolean(), (network, hostA, hostB, isUpperCase) => {
      const long = [...network, ...hostA].map((n) => n.toString(16).padStart(4, "0")).join(":");
      const short = new URL(`http://[${[...network, ...hostB].map((n) => n.toString(16)).join(":")}]`).hostname.slice(
        1,
        -1,
      );
      const [a, b] = [parseIpAddress(isUpperCase ? long.toUpperCase() : long), parseIpAddress(short)];
      if (a?.kind() === "ipv4" || b?.kind() === "ipv4") return; // IPv4-mapped; covered above
      assert.equal(toNetworkPrefix(a!), toNetworkPrefix(b!));
    }),
  );
});

test("ignores forwarding headers from untrusted peers (X5, VAR-TRUST_PROXY)", () => {
  const forgedHeaders = {
    "x-forwarded-for": "198.51.100.7",
    forwarded: "for=198.51.100.8",
    "x-real-ip": "198.51.100.9",
    "cf-connecting-ip": "198.51.100.9",
  };
  assert.equal(getKey("192.0.2.1", forgedHeaders), "192.0.2.1");
  assert.equal(
    getClientIpKey(createRequest("10.0.0.1", forgedHeaders), noProxies),
    "10.0.0.1",
    "no peer is trusted while TRUST_PROXY is off",
  );
});

test("behind a trusted proxy the client is the right-most IP address that is not a trusted proxy (X5)", () => {
  assert.equal(getKeyForXForwardedFor("198.51.100.7"), "198.51.100.7");
  assert.equal(
    getKeyForXForwardedFor("1.1.1.1, 2.2.2.2, 198.51.100.7"),
    "198.51.100.7",
    "the client itself sent the entries before it",
  );
  assert.equal(getKeyForXForwardedFor("1.1.1.1,198.51.100.7,10.9.9.9,2001:db8:ffff::5"), "198.51.100.7");
  assert.equal(getKeyForXForwardedFor("10.1.1.1, 10.2.2.2"), "10.1.1.1", "a client inside the trusted network");
  assert.equal(getKeyForXForwardedFor("198.51.100.7:4711"), "198.51.100.7");
  assert.equal(getKeyForXForwardedFor("[2001:db8:1:2::9]:4711"), "2001:db8:1:2::/64");
  assert.equal(getKeyForXForwardedFor("2001:DB8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(getKeyForXForwardedFor("::ffff:198.51.100.7", "::ffff:10.0.0.1"), "198.51.100.7");
  assert.equal(getKeyForXForwardedFor("198.51.100.7", "::1"), "198.51.100.7", "loopback");
  assert.equal(getKey("10.0.0.1"), "10.0.0.1", "a proxy that sends no forwarding header");
});

test("reads the Forwarded header of RFC 7239 the same way (X5)", () => {
  assert.equal(getKeyForForwarded("for=198.51.100.7"), "198.51.100.7");
  assert.equal(
    getKeyForForwarded("for=1.1.1.1, For=198.51.100.7;proto=https;by=10.0.0.2, for=10.0.0.3"),
    "198.51.100.7",
  );
  assert.equal(getKeyForForwarded('by=10.0.0.2; for="[2001:db8:1:2::9]:4711"'), "2001:db8:1:2::/64");
  assert.equal(getKeyForForwarded('for="198.51.100.7:80"'), "198.51.100.7");
});

test("an entry that is not an IP address ends the chain at the proxy that forwarded it (X5)", () => {
  const invalidEntries = [
    "",
    " ",
    ",",
    "unknown",
    "_hidden",
    "localhost",
    "198.51.100",
    "198.51.100.07",
    "0xc6.51.100.7",
    "3325256711",
    "198.51.100.7/32",
    "[198.51.100.7",
    "for=1.1.1.1",
    "::ffff:999.1.1.1",
    "x".repeat(8000),
    "1.1.1.1;2.2.2.2",
  ];
  for (const value of invalidEntries) {
    assert.equal(getKeyForXForwardedFor(value), "10.0.0.1", value);
    assert.equal(getKeyForXForwardedFor(`9.9.9.9, ${value}, 10.5.5.5`), "10.5.5.5", value);
  }
  for (const value of ["", "for=", "for=unknown", "for=_x", "proto=https", 'for="', "for=1.1.1.1.1"])
    assert.equal(getKeyForForwarded(value), "10.0.0.1", value);
});

test("when the two headers disagree, the key is the IP address of the proxy (X5)", () => {
  const getKeyForBoth = (xForwardedFor: string, forwardedFor: string): string =>
    getKey("10.0.0.1", { "x-forwarded-for": xForwardedFor, forwarded: `for=${forwardedFor}` });
  assert.equal(getKeyForBoth("198.51.100.7", "198.51.100.7"), "198.51.100.7");
  assert.equal(getKeyForBoth("198.51.100.7", "203.0.113.1"), "10.0.0.1");
  assert.equal(getKeyForBoth("198.51.100.7", "203.0.113.2"), "10.0.0.1");
});
