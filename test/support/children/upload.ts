import { createHash, randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { Readable } from "node:stream";
import { openDatabase, type OpenOptions } from "#db/open.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { incomingKey } from "#domain/assets/keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import { openDiskStore } from "#storage/disk.ts";
import { createDeps } from "../engines.ts";

/** A process that uploads, attaches, detaches and deletes, saying of each that it is done, until it is killed or through. */

const { caller, root, count, ...options } = JSON.parse(process.argv[2] ?? "") as Omit<OpenOptions, "log"> & {
  caller: Caller;
  root: string;
  count: number;
};
const say = (line: string) => writeSync(1, `${line}\n`); // at once: the process may be killed after it

const database = await openDatabase({ ...options, log: createLog("silent") });
const nowhere = async () => "http://localhost/nowhere";
const addresses = { origin: "http://localhost", forUpload: nowhere, forDownload: nowhere, forPart: nowhere };
const files = await openDiskStore({ root, addresses, clock: systemClock, minFreeBytes: 0 });
const deps = { ...createDeps(database, systemClock), files };
const declared = { kind: "document", mimeType: "text/plain" } as const;
say("open");

for (let i = 0; i < count; i++) {
  const content = Buffer.from(randomBytes(20_000).toString("hex"));
  const digest = createHash("sha256").update(content).digest("hex");
  const { id: postId } = await createPost(deps, caller, { title: `P${i}`, body: "" });

  const { assetId: sent } = await requestAssetUpload(deps, caller, declared);
  await files.receive(incomingKey(sent), Readable.from([content]), { maxBytes: 10 ** 6 });
  say(`sent ${sent} ${digest}`);
  await attachAsset(deps, caller, { postId, assetId: sent });
  say(`ready ${sent} ${digest}`);

  const { assetId: inline } = await uploadAssetInline(deps, caller, {
    ...declared,
    base64: content.toString("base64"),
  });
  say(`ready ${inline} ${digest}`);
  if (i % 2 === 1) continue;
  await detachAsset(deps, caller, { postId, assetId: sent });
  say(`deleting ${sent}`);
  await deleteAsset(deps, caller, { assetId: sent });
  say(`deleted ${sent}`);
}
say("through");
process.exit(0);
