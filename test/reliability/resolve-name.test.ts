import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createNameResolver, type NameResolverOptions } from "#lib/resolve-name.ts";
import { startDnsServer, type DnsServer, type DnsServerOptions } from "../support/dns-server.ts";

type Resolve = NonNullable<DnsServerOptions["resolve"]>;
const resolveGoodOnly: Resolve = (name, type) => {
  if (name !== "good.test") return undefined;
  return type === "A" ? ["1.1.1.1"] : [];
};
const neverAborted = new AbortController().signal;

describe("how long resolving untrusted names takes", () => {
  const nameServers: DnsServer[] = [];
  after(() => Promise.all(nameServers.map((nameServer) => nameServer.close())));

  async function start(respond: Resolve, options: NameResolverOptions = {}) {
    const nameServer = await startDnsServer({ resolve: respond });
    nameServers.push(nameServer);
    return { nameServer, resolve: createNameResolver({ servers: [nameServer.ipAndPort], ...options }) };
  }

  test("one address family is enough, whether the other is empty or gets no response (A19)", async () => {
    for (const other of [[], undefined]) {
      const { resolve } = await start((_name, type) => (type === "A" ? ["1.1.1.1"] : other));
      const startedAt = performance.now();
      assert.deepEqual(await resolve("four.test", neverAborted), ["1.1.1.1"]);
      assert.ok(performance.now() - startedAt < 2400, "does not wait for the other family");
      const ipv6Only = await start((_name, type) => (type === "AAAA" ? ["2620:fe::fe"] : other));
      assert.deepEqual(await ipv6Only.resolve("six.test", neverAborted), ["2620:fe::fe"]);
    }
  });

  test("rejects lookups beyond the limit at once, and an aborted lookup no longer counts (X1)", async () => {
    const { resolve, nameServer } = await start(resolveGoodOnly, { maxLookups: 3 });
    const lookupAbort = new AbortController();
    const pendingLookups = Array.from({ length: 3 }, (_, i) => resolve(`silent-${i}.test`, lookupAbort.signal));
    const startedAt = performance.now();
    await assert.rejects(resolve("good.test", neverAborted), /too many host names/);
    lookupAbort.abort();
    for (const result of await Promise.allSettled(pendingLookups)) assert.equal(result.status, "rejected");
    assert.deepEqual(await resolve("good.test", neverAborted), ["1.1.1.1"]);
    assert.ok(performance.now() - startedAt < 2400, "no lookup waited for its timeout");
    await assert.rejects(resolve("good.test", lookupAbort.signal), { name: "AbortError" });
    assert.equal(nameServer.queries.filter((query) => query === "A good.test").length, 1);
  });
});
