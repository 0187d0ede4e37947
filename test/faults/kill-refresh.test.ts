import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seconds } from "#lib/clock.ts";
import {
  createTemporaryDatabase,
  getDatabaseSettings,
  listOneEngine,
  type DatabaseLocation,
} from "../support/engines.ts";
import { queryDatabase } from "../support/migrations.ts";
import { startMain } from "../support/main-process.ts";
import {
  listTools,
  connectClient,
  refreshTokens,
  revokeToken,
  type OAuthResponse,
  type Tokens,
} from "../support/oauth-client.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";

/** When the service is killed: before the refresh, once the new tokens are stored, or after the response. */
const moments = ["sent", "stored", "received"] as const;

for (const engine of listOneEngine()) {
  describe(`kill -9 during a token refresh (${engine})`, () => {
    test("the last refresh token that the client received works, and a replaced one does not after the grace period (C3, GRANT-4, A11)", async () => {
      const location = await createTemporaryDatabase(engine);
      const base = await findFreeBaseUrl();
      const env = {
        PORT: new URL(base).port,
        BASE_URL: base,
        DATA_DIR: location.dataDir,
        RATE_LIMITS: "off",
        ...getDatabaseSettings(location),
      };
      let service = await startMain(env);
      try {
        const { client, tokens } = await newStudioClient(base);
        const revokedClient = await connectClient(base, { client });
        await revokeToken(base, client, revokedClient.tokens.refresh_token);
        let currentTokens: Pick<Tokens, "access_token" | "refresh_token"> = tokens;
        let lostResponses = 0;
        for (const moment of moments) {
          const rotatedAt = await readRotation(location);
          const pendingRefresh = refreshTokens(base, client, currentTokens.refresh_token).catch(() => undefined);
          if (moment === "stored") await waitUntil(async () => (await readRotation(location)) !== rotatedAt);
          if (moment === "received") await pendingRefresh;
          await service.kill();
          const response: OAuthResponse | undefined = await pendingRefresh;
          if (response) assert.equal(response.status, 200, response.text);
          else lostResponses++;
          service = await startMain(env);
          currentTokens = response ? response.body : currentTokens;
          const refreshResponse = await refreshTokens(base, client, currentTokens.refresh_token);
          assert.equal(refreshResponse.status, 200, `${moment}: ${refreshResponse.text}`);
          currentTokens = refreshResponse.body;
          assert.equal((await listTools(base, currentTokens.access_token)).status, 200);
          const { access_token: revokedToken } = revokedClient.tokens;
          assert.equal((await listTools(base, revokedToken)).status, 401, "a revoked token stays revoked");
        }
        assert.ok(lostResponses > 0, "no kill came before the response");

        const lastRefresh = await refreshTokens(base, client, currentTokens.refresh_token);
        await service.kill();
        await endGracePeriod(location);
        service = await startMain(env);
        assert.equal((await listTools(base, lastRefresh.body.access_token)).status, 200, "the new token works");
        assert.equal(
          (await refreshTokens(base, client, currentTokens.refresh_token)).body.error,
          "invalid_grant",
          "the replaced refresh token does not work",
        );
        assert.equal(
          (await listTools(base, lastRefresh.body.access_token)).status,
          401,
          "the reuse has revoked the grant",
        );
      } finally {
        await service.kill();
        await location.remove();
      }
    });
  });
}

/** The time of the last rotation of any grant. */
async function readRotation(location: DatabaseLocation): Promise<unknown> {
  const [row] = await queryDatabase(location, "SELECT max(rotated_at) AS at FROM grants");
  return row?.["at"];
}

/** Moves the last rotation of every grant 31 seconds into the past, while no service runs. */
async function endGracePeriod(location: DatabaseLocation): Promise<void> {
  await queryDatabase(location, `UPDATE grants SET rotated_at = rotated_at - ${seconds(31)}`);
}
