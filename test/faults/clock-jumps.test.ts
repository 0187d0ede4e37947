import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { enforceRateLimit } from "#domain/access/rate-limit.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { callMcp, refreshTokens } from "../support/oauth-client.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { startService, type RunningService } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

/** A machine whose clock was wrong, and is set right while people work. */
forEachEngine("a clock that jumps by an hour", (fixture) => {
  let service: RunningService;
  let people = 0;
  before(async () => (service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" } })));
  after(() => service.close());

  const someone = () => newStudioClient(service.base, `person${++people}@example.com`);
  const mayCall = async (token: string) => (await callMcp(service.base, token)).status === 200;
  const isSignedIn = async ({ browser }: StudioClient) => (await browser.send(`${service.base}/api/me`)).status === 200;

  test("ahead: access tokens lapse as they should, and nobody has to sign in again (C6)", async () => {
    const person = await someone();
    fixture.clock.advance(hours(1));
    assert.ok(await isSignedIn(person));
    assert.equal(await mayCall(person.tokens.access_token), false);
    const next = await refreshTokens(service.base, person.client, person.tokens.refresh_token);
    assert.equal(next.status, 200, next.text);
    assert.ok(await mayCall(next.body.access_token));
  });

  test("back: everyone stays signed in, clients too (C6)", async () => {
    const person = await someone();
    const { body } = await refreshTokens(service.base, person.client, person.tokens.refresh_token);
    fixture.clock.advance(-hours(1));
    assert.ok(await isSignedIn(person));
    assert.ok(await mayCall(body.access_token));
    const next = await refreshTokens(service.base, person.client, body.refresh_token);
    assert.equal(next.status, 200, next.text);
    assert.ok(await mayCall(next.body.access_token));
  });

  test("what was issued while the clock was ahead lives longer by the jump at most (C6)", async () => {
    fixture.clock.advance(hours(1));
    const person = await someone();
    const { body } = await refreshTokens(service.base, person.client, person.tokens.refresh_token);
    fixture.clock.advance(-hours(1));
    assert.ok(await mayCall(body.access_token));
    fixture.clock.advance(hours(2));
    assert.equal(await mayCall(body.access_token), false, "no access token is immortal");
    fixture.clock.advance(seconds(31));
    const late = await refreshTokens(service.base, person.client, person.tokens.refresh_token);
    assert.equal(late.body.error, "invalid_grant", "nor is a refresh token that was replaced");
  });

  test("limits lock nobody out for longer than the jump, and keep counting (C6)", async () => {
    const limit = createCallLimiter(fixture.deps, "clock", { perMinute: 10 });
    const useUp = () => Array.from({ length: 20 }, () => limit.check("ann")).filter((no) => no === undefined).length;
    for (const jump of [0, hours(1), -hours(1)]) {
      fixture.clock.advance(jump);
      fixture.clock.advance(minutes(2));
      assert.equal(useUp(), 10, `after ${jump}`);
      await limit.sync();
    }
    const register = () => getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.200"));
    for (let i = 0; i < 20; i++) assert.equal(await register(), "ok");
    assert.equal(await register(), "rate_limited");
    fixture.clock.advance(-hours(1));
    await register();
    fixture.clock.advance(hours(2));
    assert.equal(await register(), "ok");
  });

  test("the sweeper takes no upload that someone was just promised (C6)", async () => {
    const owner = await newStudio(fixture.deps);
    const { assetId } = await requestAssetUpload(fixture.deps, owner, { kind: "document", mimeType: "text/plain" });
    for (const jump of [hours(1), -hours(2), hours(1)]) {
      fixture.clock.advance(jump);
      await createAssetSweeper(fixture.deps)({ pause: async () => {}, isOver: () => false });
      assert.equal((await fixture.deps.assets.find(owner.studio.id, assetId))?.status, "pending");
    }
  });
});
