import assert from "node:assert/strict";
import { test } from "node:test";
import { minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { findConnectionStep, type ClientTimes } from "../../web/src/clients/connection-step.ts";
import { forEachEngine } from "../support/engines.ts";
import { signIn } from "../support/http-browser.ts";
import { createOAuthBrowser, createStudio, exchangeCode, listTools, obtainCode } from "../support/oauth-client.ts";
import { useService } from "../support/oauth-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine("progress of a new client", (fixture) => {
  const service = useService(fixture);

  test("a client that stops after a step shows that step, and since when (GRANT-20)", async () => {
    const { base } = service;
    const email = "progress@example.com";
    const browser = createOAuthBrowser(base);
    await signIn(base, email, browser);
    const studioId = await createStudio(base, browser);
    const readClient = async (): Promise<ClientTimes> => {
      const response = await browser.send(`${base}/api/studios/${studioId}/clients`);
      const { clients } = (await response.json()) as { clients: ClientTimes[] };
      return clients[0] ?? assert.fail("no client");
    };
    const readStep = async (afterMs: number) => findConnectionStep(await readClient(), fixture.clock() + afterMs);

    const obtainedCode = await obtainCode(base, { browser, email });
    assert.equal((await readClient()).unusedTokenAt, null);
    assert.equal(await readStep(0), "approved");
    assert.equal(await readStep(minutes(1)), "noToken");

    fixture.clock.advance(seconds(50));
    const { body } = await exchangeCode(base, obtainedCode);
    assert.equal((await readClient()).unusedTokenAt, toIsoTime(fixture.clock()));
    assert.equal(await readStep(seconds(59)), "token");
    assert.equal(await readStep(minutes(1)), "unusedToken");
    assert.equal(await readStep(minutes(60 * 24 * 8)), "");

    assert.equal((await listTools(base, body.access_token)).status, 200);
    // Recorded after the response.
    await waitUntil(async () => (await readClient()).lastUsedAt === toIsoTime(fixture.clock()));
    assert.equal((await readClient()).unusedTokenAt, null);
    assert.equal(await readStep(minutes(1)), "");
  });
});
