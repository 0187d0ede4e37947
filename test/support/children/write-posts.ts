import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import { createDeps } from "../engines.ts";
import { newStudio } from "../users.ts";

/** Child process: creates and updates posts until it is killed, and prints a line after each write. */

const { concurrency, ...options } = JSON.parse(process.argv[2] ?? "") as Omit<OpenDatabaseOptions, "log"> & {
  concurrency: number;
};
const printLine = (line: string) => writeSync(1, `${line}\n`); // synchronous, because the process will be killed

printLine("loaded");
await once(process.stdin, "data");
const database = await openDatabase({ ...options, log: createLog("silent") });
// Creates the secret as the service does on its first start: after the database, because a data folder with a secret
// but no database is rejected at startup.
if (!existsSync(join(options.dataDir, "secret"))) writeFileSync(join(options.dataDir, "secret"), randomBytes(32));
const deps = createDeps(database, systemClock);
const owner = await newStudio(deps, undefined, `Studio ${process.pid} ${Date.now()}`);
printLine("ready");

await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (let i = 0; ; i++) {
      const post = await createPost(deps, owner, { title: `P${i}`, body: "x".repeat(i % 2000) });
      printLine(`saved ${owner.studio.id} ${post.id} 1`);
      const { revision } = await updatePost(deps, owner, { postId: post.id, status: "ready" });
      printLine(`saved ${owner.studio.id} ${post.id} ${revision}`);
    }
  }),
);
