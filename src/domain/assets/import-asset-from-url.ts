import { z } from "zod";
import type { Caller } from "../caller.ts";
import { idempotencyKey } from "../steps/run-once.ts";
import { authorize } from "../policy.ts";
import { id, text } from "../model/text.ts";
import { type ImportContext, type ImportDeps, importFile } from "./import-file.ts";
import { kindNames } from "../model/asset.ts";
import { filenameInput } from "../steps/content/filename.ts";
import type { storedAssetOutput } from "./upload-asset-inline.ts";

export const importAssetFromUrlInput = z.strictObject({
  url: text(4000),
  kind: z.enum(kindNames).optional().describe("Detected from the file if omitted."),
  filename: filenameInput,
  postId: id.optional().describe("Attach it to this post."),
  idempotencyKey,
});

/** Fetches a file from a public URL and stores it as a ready asset, on the post if there is a `postId`. */
export async function importAssetFromUrl(
  deps: ImportDeps,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  context: ImportContext = {},
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  const { postId, idempotencyKey: key, ...fields } = input;
  const file = { ...fields, postId };
  return importFile(deps, caller, file, { verb: "import_asset_from_url", key, input: file }, context);
}
