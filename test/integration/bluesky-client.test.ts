import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { buildClientDocument, deriveClientKeys } from "#connectors/atproto/client.ts";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import type { PlatformTokens } from "#domain/ports/platforms.ts";
import { createBlueskySetups, grantAccess } from "../support/bluesky-fixture.ts";
import { openChromium, skipWithoutChromium, type Browser } from "../support/chromium.ts";
import { startPds, skipWithoutPds, type Pds, type PdsAccount } from "../support/pds.ts";

/** The public URL of this server, which has no DNS record: the PDS reads our metadata from `documentsUrl` instead. */
const base = "https://studio.atelier-tests";
const clientKeys = deriveClientKeys(["the newest secret, 32 bytes long.", "the previous secret, 32 bytes lo"]);
const [newestKey, previousKey] = clientKeys;

describe("a public server as a client of Bluesky", { skip: skipWithoutPds || skipWithoutChromium }, () => {
  let documents: Server;
  let pds: Pds;
  let account: PdsAccount;
  let chromium: Browser;
  let tokens: PlatformTokens;
  before(async () => {
    const { path, body } = buildClientDocument(base, bluesky, clientKeys);
    documents = createServer((req, res) => {
      res.writeHead(req.url === path ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(documents, "listening");
    const documentsUrl = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`;
    pds = await startPds({ client: { host: new URL(base).host, documentsUrl } });
    account = await pds.createAccount("ada.test");
    chromium = await openChromium();
  });
  after(async () => {
    await chromium?.close();
    await pds?.stop();
    documents?.close();
    documents?.closeAllConnections();
  });

  const createClient = (keys = clientKeys) => createPlatforms(base, createBlueskySetups(pds, { clientKeys: keys }));
  const getTarget = () => ({ platform: "bluesky", instance: pds.url });

  test("the server accepts our metadata document and our signature, and another issuer's response is rejected (PLATFORM-15, A16)", async () => {
    const platforms = createClient(clientKeys.slice(1));
    const app = await platforms.registerApp(getTarget());
    const { location, ...pending } = await platforms.startAuthorization(getTarget(), app);
    const page = await chromium.newPage({ locale: "en-US" });
    const callback = page.waitForRequest((request) => request.url().startsWith(platforms.getRedirectUri(getTarget())));
    await page.goto(location);
    await grantAccess(page, account);
    const callbackUrl = new URL((await callback).url());
    await page.close();
    const otherIssuer = new URL(callbackUrl);
    otherIssuer.searchParams.set("iss", "https://other.example");
    await assert.rejects(platforms.finishAuthorization(getTarget(), app, otherIssuer, pending), {
      kind: "unavailable",
    });
    const [granted] = await platforms.finishAuthorization(getTarget(), app, callbackUrl, pending);
    assert.deepEqual([granted?.account.id, granted?.account.handle], [account.did, "ada.test"]);
    assert.ok(granted);
    tokens = granted.tokens;
    assert.equal(tokens.binding?.clientKeyId, previousKey?.kid);
  });

  test("an instance can be an authorization server, such as bsky.social, and nothing else is accepted (PLATFORM-8)", async () => {
    pds.proxy.chooseFault = ({ url }) => (url?.includes("oauth-protected-resource") ? 404 : undefined);
    const { clientId } = await createClient().registerApp(getTarget());
    assert.equal(clientId, `${base}/api/platforms/bluesky/client-metadata.json`);
    pds.proxy.chooseFault = () => 404;
    await assert.rejects(createClient().registerApp(getTarget()), { kind: "unavailable" });
    pds.proxy.chooseFault = () => undefined;
  });

  test("tokens are renewed with the key that they were issued to, after a new secret was added (PLATFORM-15)", async () => {
    const app = { clientId: `${base}/api/platforms/bluesky/client-metadata.json`, clientSecret: "" };
    const renewedTokens = await createClient().renew(getTarget(), app, tokens);
    assert.ok(renewedTokens?.refreshToken);
    assert.notEqual(renewedTokens.refreshToken, tokens.refreshToken);
    assert.equal(renewedTokens.binding?.clientKeyId, previousKey?.kid);
    await assert.rejects(createClient(newestKey && [newestKey]).renew(getTarget(), app, renewedTokens), {
      kind: "rejected",
    });
    await createClient().revoke(getTarget(), app, renewedTokens);
    await assert.rejects(createClient().renew(getTarget(), app, renewedTokens), { kind: "rejected" });
  });
});
