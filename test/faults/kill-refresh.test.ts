import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { seconds } from "#lib/clock.ts";
import { createTemporaryDatabase, listEngines, silentLog, type DatabaseLocation } from "../support/engines.ts";
import { startMain } from "../support/main-process.ts";
import {
  callMcp,
  connectClient,
  refreshTokens,
  revokeToken,
  type OAuthResponse,
  type Tokens,
} from "../support/oauth-client.ts";
import { findFreeBaseUrl } from "../support/service.ts";

const rounds = 3;

for (const engine of listEngines()) {
  describe(`kill -9 during refresh (${engine})`, () => {
    test("the old token or the new one works, never neither, and not both once the grace is over (C3, GRANT-4, A11)", async () => {
      const location = await createTemporaryDatabase(engine);
      const base = await findFreeBaseUrl();
      const env = {
        PORT: new URL(base).port,
        BASE_URL: base,
        DATA_DIR: location.dataDir,
        RATE_LIMITS: "off",
        ...(location.databaseUrl ? { DATABASE_URL: location.databaseUrl } : {}),
      };
      let service = await startMain(env);
      try {
        const { client, tokens } = await connectClient(base);
        const ended = await connectClient(base, { client });
        await revokeToken(base, client, ended.tokens.refresh_token);
        let held: Pick<Tokens, "access_token" | "refresh_token"> = tokens;
        let lost = 0;
        for (let round = 0; round < rounds; round++) {
          const asking = refreshTokens(base, client, held.refresh_token).catch(() => undefined);
          await sleep(round * Math.random() * 10);
          await service.kill();
          const answer: OAuthResponse | undefined = await asking;
          if (answer) assert.equal(answer.status, 200, answer.text);
          else lost++;
          service = await startMain(env);
          held = answer ? answer.body : held;
          const next = await refreshTokens(base, client, held.refresh_token);
          assert.equal(next.status, 200, `round ${round}, answer ${answer ? "came" : "lost"}: ${next.text}`);
          held = next.body;
          assert.notEqual((await callMcp(base, held.access_token)).status, 401);
          assert.equal((await callMcp(base, ended.tokens.access_token)).status, 401, "what was revoked stays so");
        }
        assert.ok(lost > 0, "no kill came before its answer");

        const last = await refreshTokens(base, client, held.refresh_token);
        await service.kill();
        await passGrace(location);
        service = await startMain(env);
        assert.notEqual((await callMcp(base, last.body.access_token)).status, 401, "the new one works");
        assert.equal(
          (await refreshTokens(base, client, held.refresh_token)).body.error,
          "invalid_grant",
          "the old one does not",
        );
        assert.equal((await callMcp(base, last.body.access_token)).status, 401, "and its use has ended the grant");
      } finally {
        await service.kill();
        await location.remove();
      }
    });
  });
}

/** Half a minute passes for every grant, with nobody running. */
async function passGrace(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase({ ...location, log: silentLog });
  await database.q
    .updateTable("grants")
    .set((row) => ({ rotated_at: row("rotated_at", "-", seconds(31)) }))
    .execute();
  await database.close();
}
