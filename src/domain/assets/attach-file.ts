import { z } from "zod";
import type { Caller } from "../caller.ts";
import { authorize } from "../policy.ts";
import { id, text } from "../model/text.ts";
import { type ImportContext, type ImportDeps, importFile } from "./import-file.ts";
import { cleanFilename, truncateFilename } from "../steps/content/filename.ts";
import type { storedAssetOutput } from "./upload-asset-inline.ts";

/** AI clients define these field names and may add fields, so unknown fields are ignored. */
const chatFile = z.object({
  download_url: text(8000),
  file_id: text(500),
  mime_type: text(200).optional(),
  // Invalid names are cleaned, not rejected, because neither the model nor the user can change what the client sends.
  file_name: z
    .string()
    .transform((name) => truncateFilename(cleanFilename(name.toWellFormed())))
    .optional(),
});

export const attachFileInput = z.strictObject({ postId: id, file: chatFile });

/** Fetches a file of the chat from the URL that the AI client supplies, and attaches it to a post. */
export async function attachFile(
  deps: ImportDeps,
  caller: Caller,
  { postId, file }: z.infer<typeof attachFileInput>,
  context: ImportContext = {},
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  const { download_url: url, mime_type: mimeType, file_name: filename } = file;
  const fileToImport = { url, isUrlSecret: true, mimeType, filename, postId } as const;
  const callWithoutKey = { verb: "attach_file", key: undefined, input: undefined };
  return importFile(deps, caller, fileToImport, callWithoutKey, context);
}
