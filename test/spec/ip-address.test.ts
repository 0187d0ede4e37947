import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress } from "#lib/ip-address.ts";
import { createPublicFetch, PublicFetchError } from "#lib/public-fetch.ts";

const nonPublicAddresses = [
  ...[
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
  ],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "192.88.99.1", "198.18.0.1"],
  ...["198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::7f00:1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::FFFF:7F00:1"],
  ...["::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::7f00:1", "100::1", "2001::7f00:1"],
  ...["2001:db8::1", "2001:10::1", "2002:7f00:1::", "2002:0808:0808::", "3fff::1", "5f00::1", "fc00::1", "fd12::1"],
  ...["fe80::1", "febf::1", "fec0::1", "ff02::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:ffff:7f00:0001"],
];
const publicIpv4 = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1"];
const publicAddresses = [
  ...publicIpv4,
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2620:fe::fe",
];

test("recognizes every IP address that is not public, in every notation (A19)", () => {
  for (const address of nonPublicAddresses) assert.equal(isPublicAddress(address), false, address);
  for (const address of publicAddresses) assert.equal(isPublicAddress(address), true, address);
  for (const text of ["", "localhost", "127.1", "0x7f.1", "2130706433", "1.1.1.1.1", "::1%lo", " 8.8.8.8", "8.8.8.8 "])
    assert.equal(isPublicAddress(text), false, text);
});

test("blocks a name with any non-public IP address or none at all, before sending anything (A19)", async () => {
  for (const addresses of [["93.184.216.34", "10.0.0.1"], ["10.0.0.1", "93.184.216.34"], []]) {
    const publicFetch = createPublicFetch({ timeoutMs: 10_000, maxBytes: 100, resolve: async () => addresses });
    await assert.rejects(
      publicFetch("https://mixed.test/"),
      (error) => error instanceof PublicFetchError && error.isBlocked,
    );
  }
  const publicFetch = createPublicFetch({ timeoutMs: 10_000, maxBytes: 100, resolve: async () => ["93.184.216.34"] });
  for (const url of [
    "http://x.test/",
    "ftp://x.test/",
    "file:///etc/passwd",
    "https://a@x.test/",
    "https://:b@x.test/",
  ])
    await assert.rejects(publicFetch(url), (error) => error instanceof PublicFetchError && error.isBlocked);
});
