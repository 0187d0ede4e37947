import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { restoreFromTrash } from "#domain/trash/trash.ts";
import { undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { systemClock, toIsoTime } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { actThroughClient, addPost } from "../history-fixture.ts";
import { newStudio, newUser } from "../users.ts";
import { printLine, readOptions, waitForStart } from "./child.ts";

/**
 * Child process: an AI client edits, deletes, restores and undoes posts until the process is killed. Prints each
 * revision with its content after the call that created it has returned.
 */

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
printLine("ready");

await Promise.all(Array.from({ length: concurrency }, (_, worker) => edit(worker)));

async function edit(worker: number): Promise<never> {
  // A new user each time, because the number of studios per owner is limited.
  const owner = await newStudio(deps, await newUser(deps, { subject: `${process.pid} ${worker} ${Date.now()}` }));
  const client = await actThroughClient(deps, owner);
  const { postId, assetIds } = await addPost(deps, client, { title: "First", body: "First", files: 2 });
  const [first, second] = assetIds as [string, string];
  /** Reads the post, which only this worker changes, prints it, and returns its revision. */
  const printSavedPost = async (): Promise<number> => {
    const { revision, title, body, status, assets } = await getPost(deps, client, { postId });
    const content = { title, body, status, assets: assets.map(({ id, altText }) => [id, altText ?? null]) };
    printLine(`saved ${JSON.stringify({ postId, revision, ...content })}`);
    return revision;
  };
  const originalRevision = await printSavedPost();
  for (let i = 0; ; i++) {
    const since = toIsoTime(systemClock());
    const text = `${worker} ${i} ${"x".repeat(i % 500)}`;
    await updatePost(deps, client, { postId, title: `T${i}`, body: text, revision: await printSavedPost() });
    await printSavedPost();
    await updateAsset(deps, client, { assetId: first, altText: `Alt ${i}` });
    await printSavedPost();
    await detachAsset(deps, client, { postId, assetId: second });
    await printSavedPost();
    await deletePost(deps, client, { postId });
    printLine(`trashed ${postId}`);
    await restoreFromTrash(deps, client, { id: postId });
    printLine(`restored ${postId}`);
    await printSavedPost();
    if (i % 3 === 0) await restorePost(deps, client, { postId, revision: originalRevision });
    else if (i % 3 === 1) await undoOwnChanges(deps, client, { since });
    else await attachAsset(deps, client, { postId, assetId: second });
    await printSavedPost();
  }
}
