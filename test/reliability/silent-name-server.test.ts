import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { maxConcurrentImports } from "#domain/model/import-slots.ts";
import { signIn } from "../support/http-browser.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startDnsServer, type DnsServer } from "../support/dns-server.ts";
import { canReplaceDnsServer, withDnsServer } from "../support/dns-override.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { createAuthorization, createOAuthBrowser, webRedirect } from "../support/oauth-client.ts";
import { useServiceProcess } from "../support/service-process.ts";
import type { StudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const authorizeRequests = 50;
/** If lookups used the thread pool, sign-in would fail after 8 s. */
const maxFastMs = 4000;
const maxResponseMs = 5000;

describe(
  "a name server that never responds",
  { skip: !canReplaceDnsServer() && "needs root with mount namespaces" },
  () => {
    const folder = createTempFolder();
    let base: string;
    let nameServer: DnsServer;
    let issuer: TestIssuer;
    let studio: StudioClient;

    const service = useServiceProcess(async (baseUrl) => {
      nameServer = await startDnsServer({ ip: `127.53.${randomInt(256)}.${randomInt(1, 255)}`, port: 53 });
      issuer = await startIssuer({ redirectUris: [`${baseUrl}/api/auth/callback/oidc`], usesHostname: true });
      const env = {
        OIDC_ISSUER: issuer.issuer,
        OIDC_CLIENT_ID: issuer.clientId,
        OIDC_CLIENT_SECRET: issuer.clientSecret,
        SIGN_IN_ALLOW: "*",
      };
      return { env, wrapper: withDnsServer(nameServer.ip, `${folder.path}/resolv.conf`) };
    });
    before(() => void ({ base, studio } = service));
    after(async () => {
      await issuer?.close();
      await nameServer?.close();
      folder.remove();
    });

    async function measure<T>(operation: Promise<T>): Promise<{ result: T; ms: number }> {
      const startedAt = performance.now();
      return { result: await operation, ms: performance.now() - startedAt };
    }

    /** Uses the service as other users do, until `isOver`; returns the longest duration of each action. */
    async function useService(isOver: () => boolean): Promise<Record<string, number>> {
      const slowest: Record<string, number> = {};
      const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=" };
      const actions: Record<string, (round: number) => Promise<unknown>> = {
        "sign-in": (round) => signIn(base, `person-${round}@example.com`),
        upload: () => studio.call("upload_asset_inline", file),
        call: () => studio.call("list_posts", { limit: 5 }),
        readyz: () => fetch(`${base}/readyz`),
      };
      for (let round = 0; round === 0 || !isOver(); round++) {
        for (const [name, action] of Object.entries(actions))
          slowest[name] = Math.max(slowest[name] ?? 0, (await measure(action(round))).ms);
      }
      return slowest;
    }

    const assertFast = (slowest: Record<string, number>): void => {
      for (const [name, ms] of Object.entries(slowest)) assert.ok(ms < maxFastMs, `${name}: ${ms.toFixed(0)} ms`);
    };
    const describeTimes = (slowest: Record<string, number>): string =>
      Object.entries(slowest)
        .map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
        .join(", ");

    test(`${authorizeRequests} authorize requests with unresolvable client ids: sign-in and other requests stay fast (A20, X1)`, async (t) => {
      let isOver = false;
      const authorize = (id: string) =>
        measure(createOAuthBrowser(base).send(createAuthorization(base, { id, redirectUri: webRedirect }).url));
      const requests = Array.from({ length: authorizeRequests }, (_, i) =>
        authorize(`https://silent-${i}.test/client.json`),
      );
      const pendingResponses = Promise.all(requests).finally(() => (isOver = true));
      const slowest = await useService(() => isOver);
      const responses = await pendingResponses;
      const longestMs = Math.max(...responses.map(({ ms }) => ms));
      t.diagnostic(
        `slowest other requests: ${describeTimes(slowest)}; slowest authorize request ${longestMs.toFixed(0)} ms`,
      );
      assert.ok(
        nameServer.queries.some((query) => query.endsWith(".test")),
        "the name server received a query",
      );
      assertFast(slowest);
      for (const { result, ms } of responses) {
        assert.equal(result.status, 400);
        assert.ok(ms < maxResponseMs, `${ms} ms`);
      }
    });

    test("imports and platform instances with unresolvable names: each fails in time, and imports beyond the limit fail immediately (X1)", async (t) => {
      let isOver = false;
      const getCode = (operation: Promise<unknown>) =>
        operation.then(
          () => "ok",
          (error: unknown) => /"code":"(\w+)"/.exec(String(error))?.[1] ?? String(error),
        );
      const startImport = (i: number) =>
        measure(getCode(studio.call("import_asset_from_url", { url: `https://silent-import-${i}.test/a.png` })));
      const imports = Array.from({ length: maxConcurrentImports.user }, (_, i) => startImport(i));
      const instance = { platform: "mastodon", instanceUrl: "https://silent-instance.test" };
      const connection = measure(getCode(studio.call("connect_platform", instance)));
      const countLookups = () =>
        new Set(nameServer.queries.filter((query) => query.startsWith("A silent-import-"))).size;
      await waitUntil(() => countLookups() === maxConcurrentImports.user, { description: "every slot is in use" });
      const rejectedImport = await startImport(maxConcurrentImports.user);
      const pendingResults = Promise.all([...imports, connection]).finally(() => (isOver = true));
      const slowest = await useService(() => isOver);
      const results = await pendingResults;
      t.diagnostic(`slowest other requests: ${describeTimes(slowest)}`);
      assert.equal(rejectedImport.result, "rate_limited");
      assert.ok(rejectedImport.ms < maxFastMs);
      assertFast(slowest);
      assert.deepEqual(new Set(results.map(({ result }) => result)), new Set(["url_unreachable"]));
      for (const { ms } of results) assert.ok(ms < maxResponseMs, `${ms} ms`);
    });
  },
);
