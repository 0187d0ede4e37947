import assert from "node:assert/strict";
import { createServer } from "node:https";
import { after, describe, test } from "node:test";
import { createPublicFetch, PublicFetchError } from "#lib/public-fetch.ts";
import { createNameResolver, NameResolutionError } from "#lib/resolve-name.ts";
import { createCertificate } from "../support/certificate.ts";
import { startDnsServer, type DnsServer, type DnsServerOptions } from "../support/dns-server.ts";
import { listenLocally } from "../support/local-server.ts";
import { waitUntil } from "../support/wait-until.ts";

const neverAborted = new AbortController().signal;

describe("resolving untrusted names", () => {
  const nameServers: DnsServer[] = [];
  after(() => Promise.all(nameServers.map((nameServer) => nameServer.close())));

  async function start(respond?: DnsServerOptions["resolve"]) {
    const nameServer = await startDnsServer(respond ? { resolve: respond } : {});
    nameServers.push(nameServer);
    return { nameServer, resolve: createNameResolver({ servers: [nameServer.ipAndPort] }) };
  }

  test("returns the A and AAAA records of a name (A19)", async () => {
    const { resolve, nameServer } = await start((_name, type) =>
      type === "A" ? ["93.184.216.34", "1.1.1.1"] : ["2606:4700:4700::1111"],
    );
    assert.deepEqual(await resolve("files.test", neverAborted), ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111"]);
    assert.deepEqual([...new Set(nameServer.queries)].toSorted(), ["A files.test", "AAAA files.test"]);
  });

  test("rejects names that have no IP address or are only in /etc/hosts (A19)", async () => {
    const { resolve } = await start(() => []);
    await assert.rejects(resolve("none.test", neverAborted), NameResolutionError);
    await assert.rejects(resolve("localhost", neverAborted), NameResolutionError);
  });

  test("rejects a lookup when no name server responds (A20)", async () => {
    const { resolve, nameServer } = await start();
    await assert.rejects(resolve("silent.test", neverAborted), NameResolutionError);
    await waitUntil(() => nameServer.queries.length >= 4, { description: "each query was retried" });
  });

  test("a fetch sends no DNS query for an IP address or a name of this machine (A19)", async () => {
    const { resolve, nameServer } = await start(() => ["1.1.1.1"]);
    const fetchDocument = createPublicFetch({ timeoutMs: 10_000, maxBytes: 100, resolve });
    const hosts = ["127.0.0.1", "[::1]", "2130706433", "localhost", "localhost.", "app.localhost", "intranet", "com."];
    for (const host of hosts) {
      const isBlocked = (error: unknown) => error instanceof PublicFetchError && error.isBlocked;
      await assert.rejects(fetchDocument(`https://${host}/`), isBlocked, host);
    }
    assert.deepEqual(nameServer.queries, []);
  });

  test("a fetch connects to the IP addresses it checked, even if the name server returns others next (A19)", async () => {
    const { key, cert } = createCertificate(["rebind.test"]);
    const server = createServer({ key, cert }, (_req, res) => void res.end("{}"));
    const { port, close } = await listenLocally(server);
    let lookups = 0;
    const { resolve, nameServer } = await start((_name, type) => {
      if (type === "AAAA") return [];
      return lookups++ === 0 ? ["127.0.0.2", "127.0.0.1"] : ["10.0.0.1"];
    });
    const checkedIps: string[] = [];
    const isAllowed = (ip: string) => checkedIps.push(ip) > 0 && ip.startsWith("127.");
    const options = { timeoutMs: 10_000, maxBytes: 100, resolve, isAllowed, tls: { ca: cert } };
    try {
      // Nothing listens at the first IP address, so the fetch tries the second.
      assert.equal((await createPublicFetch(options)(`https://rebind.test:${port}/`)).status, 200);
      assert.deepEqual(checkedIps, ["127.0.0.2", "127.0.0.1"]);
      assert.deepEqual([...new Set(nameServer.queries)].toSorted(), ["A rebind.test", "AAAA rebind.test"]);
      await assert.rejects(createPublicFetch(options)(`https://rebind.test:${port}/`), /the host is not public/);
    } finally {
      await close();
    }
  });
});
