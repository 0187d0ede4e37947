import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { maxConcurrentImports } from "#domain/assets/lifecycle/import-slots.ts";
import { signIn } from "../support/http-browser.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { startDnsServer, type DnsServer } from "../support/dns-server.ts";
import { canReplaceDnsServer, withDnsServer } from "../support/dns-override.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { createAuthorization, createOAuthBrowser, webRedirect } from "../support/oauth-client.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

const authorizeRequests = 50;
/** What a busy machine may take; with lookups on the thread pool, sign-in fails after 8 s. */
const fastMs = 4000;
const responseMs = 5000;

describe("a name server that never responds", { skip: !canReplaceDnsServer() }, () => {
  const folder = createTempFolder();
  let base: string;
  let nameServer: DnsServer;
  let issuer: TestIssuer;
  let service: MainProcess;
  let studio: StudioClient;

  before(async () => {
    nameServer = await startDnsServer({ ip: `127.53.${randomInt(256)}.${randomInt(1, 255)}`, port: 53 });
    base = await findFreeBaseUrl();
    issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`], useHostname: true });
    const env = {
      ...{ PORT: new URL(base).port, BASE_URL: base, DATA_DIR: `${folder.path}/data`, RATE_LIMITS: "off" },
      ...{ OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: issuer.clientId, OIDC_CLIENT_SECRET: issuer.clientSecret },
      SIGN_IN_ALLOW: "*",
    };
    service = await startMain(env, withDnsServer(nameServer.ip, `${folder.path}/resolv.conf`));
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    await issuer?.close();
    await nameServer?.close();
    folder.remove();
  });

  async function timeOf<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
    const begin = performance.now();
    return { result: await work, ms: performance.now() - begin };
  }

  /** What users do meanwhile; returns how long each kind took at most. */
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
      for (const [name, act] of Object.entries(actions))
        slowest[name] = Math.max(slowest[name] ?? 0, (await timeOf(act(round))).ms);
    }
    return slowest;
  }

  const assertFast = (slowest: Record<string, number>): void => {
    for (const [name, ms] of Object.entries(slowest)) assert.ok(ms < fastMs, `${name}: ${ms.toFixed(0)} ms`);
  };
  const describeTimes = (slowest: Record<string, number>): string =>
    Object.entries(slowest)
      .map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
      .join(", ");

  test(`${authorizeRequests} authorize requests of unknown names: sign-in and other requests stay fast (A20, X1)`, async (t) => {
    let isOver = false;
    const ask = (id: string) =>
      timeOf(createOAuthBrowser(base).send(createAuthorization(base, { id, redirectUri: webRedirect }).url));
    const requests = Array.from({ length: authorizeRequests }, (_, i) => ask(`https://silent-${i}.test/client.json`));
    const all = Promise.all(requests).finally(() => (isOver = true));
    const slowest = await useService(() => isOver);
    const responses = await all;
    const longest = Math.max(...responses.map(({ ms }) => ms));
    t.diagnostic(`slowest beside them: ${describeTimes(slowest)}; the requests themselves ${longest.toFixed(0)} ms`);
    assert.ok(
      nameServer.queries.some((query) => query.endsWith(".test")),
      "the silent name server was asked",
    );
    assertFast(slowest);
    for (const { result, ms } of responses) {
      assert.equal(result.status, 400);
      assert.ok(ms < responseMs, `${ms} ms`);
    }
  });

  test("imports and platform instances of unknown names: each fails in time, beyond the slots at once (X1)", async (t) => {
    let isOver = false;
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => "ok",
        (error: unknown) => /"code":"(\w+)"/.exec(String(error))?.[1] ?? String(error),
      );
    const startImport = (i: number) =>
      timeOf(codeOf(studio.call("import_asset_from_url", { url: `https://silent-import-${i}.test/a.png` })));
    const imports = Array.from({ length: maxConcurrentImports.user }, (_, i) => startImport(i));
    const instance = { platform: "mastodon", instanceUrl: "https://silent-instance.test" };
    const connection = timeOf(codeOf(studio.call("connect_platform", instance)));
    const beyond = await startImport(maxConcurrentImports.user);
    const all = Promise.all([...imports, connection]).finally(() => (isOver = true));
    const slowest = await useService(() => isOver);
    const ended = await all;
    t.diagnostic(`slowest beside them: ${describeTimes(slowest)}`);
    assert.equal(beyond.result, "rate_limited");
    assert.ok(beyond.ms < fastMs);
    assertFast(slowest);
    assert.deepEqual(new Set(ended.map(({ result }) => result)), new Set(["url_unreachable"]));
    for (const { ms } of ended) assert.ok(ms < responseMs, `${ms} ms`);
  });
});
