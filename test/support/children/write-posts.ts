import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { newStudio } from "../users.ts";
import { printLine, readOptions, waitForStart } from "./child.ts";

/** Child process: creates and updates posts until it is killed, and prints a line after each write. */

const { concurrency, ...options } = readOptions<
  Omit<OpenDatabaseOptions, "log"> & {
    concurrency: number;
  }
>();

await waitForStart();
const database = await openDatabase({ ...options, log: silentLog });
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
