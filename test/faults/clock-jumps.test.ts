import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { enforceRateLimit } from "#domain/steps/rate-limit.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { countAllowedCalls } from "../support/call-limits.ts";
import { forEachEngine } from "../support/engines.ts";
import { listTools, refreshTokens } from "../support/oauth-client.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";

/** Simulates a system clock that is corrected while users work. */
forEachEngine("a clock that jumps by an hour", (fixture) => {
  const service = startForSuite(() => startService(fixture.deps, { env: { RATE_LIMITS: "off" } }));
  let userCount = 0;

  const newClient = () => newStudioClient(service.base, `person${++userCount}@example.com`);
  const canCall = async (token: string) => (await listTools(service.base, token)).status === 200;
  const isSignedIn = async ({ browser }: StudioClient) => (await browser.send(`${service.base}/api/me`)).status === 200;

  test("after a jump forward, access tokens have expired, and users stay signed in (C6)", async () => {
    const user = await newClient();
    fixture.clock.advance(hours(1));
    assert.ok(await isSignedIn(user));
    assert.equal(await canCall(user.tokens.access_token), false);
    const refreshResponse = await refreshTokens(service.base, user.client, user.tokens.refresh_token);
    assert.equal(refreshResponse.status, 200, refreshResponse.text);
    assert.ok(await canCall(refreshResponse.body.access_token));
  });

  test("after a jump backward, users and AI clients stay signed in (C6)", async () => {
    const user = await newClient();
    const { body } = await refreshTokens(service.base, user.client, user.tokens.refresh_token);
    fixture.clock.advance(-hours(1));
    assert.ok(await isSignedIn(user));
    assert.ok(await canCall(body.access_token));
    const refreshResponse = await refreshTokens(service.base, user.client, body.refresh_token);
    assert.equal(refreshResponse.status, 200, refreshResponse.text);
    assert.ok(await canCall(refreshResponse.body.access_token));
  });

  test("tokens issued while the clock was ahead stay valid longer by at most the jump (C6)", async () => {
    fixture.clock.advance(hours(1));
    const user = await newClient();
    const { body } = await refreshTokens(service.base, user.client, user.tokens.refresh_token);
    fixture.clock.advance(-hours(1));
    assert.ok(await canCall(body.access_token));
    fixture.clock.advance(hours(2));
    assert.equal(await canCall(body.access_token), false, "the access token has expired");
    fixture.clock.advance(seconds(31));
    const lateRefresh = await refreshTokens(service.base, user.client, user.tokens.refresh_token);
    assert.equal(lateRefresh.body.error, "invalid_grant", "the grace period of the replaced refresh token has ended");
  });

  test("rate limits keep counting, and block no caller for longer than the jump (C6)", async () => {
    const limit = createCallLimiter(fixture.deps, "clock", { perMinute: 10 });
    for (const jump of [0, hours(1), -hours(1)]) {
      fixture.clock.advance(jump);
      fixture.clock.advance(minutes(2));
      assert.equal(countAllowedCalls(limit, 20), 10, `after ${jump}`);
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

  test("the sweeper keeps a pending upload whose URL was just created (C6)", async () => {
    const owner = await newStudio(fixture.deps);
    const { assetId } = await requestAssetUpload(fixture.deps, owner, { kind: "document", mimeType: "text/plain" });
    for (const jump of [hours(1), -hours(2), hours(1)]) {
      fixture.clock.advance(jump);
      await createAssetSweeper(fixture.deps)({ pause: async () => {}, shouldStop: () => false });
      assert.equal((await fixture.deps.assets.find(owner.studio.id, assetId))?.status, "pending");
    }
  });
});
