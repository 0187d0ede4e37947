import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { openLocalDiskStore } from "../local-disk-store.ts";
import { printLine, readOptions } from "./child.ts";

/** Child process: uploads, attaches, detaches and deletes assets, and prints a line after each step. */

const { caller, root, count, ...options } = readOptions<
  Omit<OpenDatabaseOptions, "log"> & {
    caller: Caller;
    root: string;
    count: number;
  }
>();

const database = await openDatabase({ ...options, log: silentLog });
const files = await openLocalDiskStore(root);
const deps = { ...createDeps(database, systemClock), files };
const declaredType = { kind: "document", mimeType: "text/plain" } as const;
printLine("open");

for (let i = 0; i < count; i++) {
  const content = Buffer.from(randomBytes(20_000).toString("hex"));
  const digest = createHash("sha256").update(content).digest("hex");
  const { id: postId } = await createPost(deps, caller, { title: `P${i}`, body: "" });

  const { assetId: uploadedId } = await requestAssetUpload(deps, caller, declaredType);
  await files.receive(incomingKey(uploadedId), Readable.from([content]), { maxBytes: 10 ** 6 });
  printLine(`sent ${uploadedId} ${digest}`);
  await attachAsset(deps, caller, { postId, assetId: uploadedId });
  printLine(`ready ${uploadedId} ${digest}`);

  const { assetId: inlineId } = await uploadAssetInline(deps, caller, {
    ...declaredType,
    base64: content.toString("base64"),
  });
  printLine(`ready ${inlineId} ${digest}`);
  if (i % 2 === 1) continue;
  await detachAsset(deps, caller, { postId, assetId: uploadedId });
  printLine(`deleting ${uploadedId}`);
  await deleteAsset(deps, caller, { assetId: uploadedId });
  await emptyTrash(deps, caller);
  printLine(`deleted ${uploadedId}`);
}
printLine("finished");
process.exit(0);
