import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import type { Database } from "#db/database.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { systemClock } from "#lib/clock.ts";
import {
  createDeps,
  createTemporaryDatabase,
  getDatabaseSettings,
  listEngines,
  silentLog,
  type TemporaryDatabase,
} from "../support/engines.ts";
import { listen, openSessionStream } from "../support/event-stream.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { callLegacy, callModern, initialize } from "../support/mcp.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newPost } from "../support/subscription-fixture.ts";
import { newStudio } from "../support/users.ts";

/** Two processes as operators run them. On SQLite, they share a data folder. */
for (const engine of listEngines()) {
  describe(`subscriptions across processes (${engine})`, () => {
    let location: TemporaryDatabase;
    let database: Database;
    let deps: Deps;
    const urls: string[] = [];
    const processes: MainProcess[] = [];

    before(async () => {
      location = await createTemporaryDatabase(engine);
      database = await openDatabase({ ...location, log: silentLog });
      const bases = [await findFreeBaseUrl(), await findFreeBaseUrl()];
      const base = bases[0] ?? "";
      deps = { ...createDeps(database, systemClock), baseUrl: base };
      for (const url of bases) {
        const { port } = new URL(url);
        const env = { PORT: port, BASE_URL: base, DATA_DIR: location.dataDir, RATE_LIMITS: "off" };
        const secrets = { SECRETS: "a test secret that is long enough for this" };
        processes.push(await startMain({ ...env, ...secrets, ...getDatabaseSettings(location) }));
        urls.push(`http://127.0.0.1:${port}/mcp`);
      }
    });
    after(async () => {
      for (const instance of processes) await instance.kill();
      await database?.close();
      await location?.remove();
    });

    test("a change made through one process is announced by the other, in both protocol versions (CHAT-20)", async () => {
      const [callUrl = "", streamUrl = ""] = urls;
      const owner = await newStudio(deps);
      const post = await newPost(deps, owner);
      const { token } = await createTestGrant(deps, owner);
      const streamClient = { url: streamUrl, token };
      const { session } = await initialize({ url: callUrl, token });
      await callLegacy({ url: callUrl, token, session }, "resources/subscribe", { uri: post.uri });
      const modern = await listen(streamClient, { resourceSubscriptions: [post.uri] });
      const legacy = await openSessionStream({ ...streamClient, session });
      assert.equal(legacy.status, 200);
      for (let change = 1; change <= 3; change++) {
        const { json } = await callModern({ url: callUrl, token }, "tools/call", {
          name: "update_post",
          arguments: { postId: post.id, tags: [`tag ${change}`] },
        });
        assert.ok(!json.result.isError, json.result.content[0].text);
        await Promise.all([modern.waitForUpdates(change), legacy.waitForUpdates(change)]);
      }
      processes[1]?.terminate();
      await Promise.all([modern.ended, legacy.ended]);
      assert.equal(modern.messages.at(-1)?.result?.resultType, "complete");
      assert.equal(await processes[1]?.exited, 0, "open streams do not delay the shutdown");
    });
  });
}
