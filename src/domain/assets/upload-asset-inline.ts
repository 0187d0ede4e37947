import { Readable } from "node:stream";
import { z } from "zod";
import type { Caller } from "../caller.ts";
import { insertAsset } from "../changes/insert-asset.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { checkInlineSize, decodeInline } from "../steps/content/base64.ts";
import { createBufferSource } from "../ports/byte-source.ts";
import { declaredTypeInput, parseDeclaredType } from "../model/declared-type.ts";
import { checkContent, readMediaMetadata } from "../steps/content/check-content.ts";
import { filenameInput, resolveFilename } from "../steps/content/filename.ts";
import { createFileKey } from "../model/storage-keys.ts";
import { inlineLimitBytes } from "../model/asset-kinds.ts";
import { buildNewAsset } from "../steps/new-asset.ts";
import { checkQuota } from "../changes/quota.ts";
import { toStoredFields, withReservedKey } from "./store-bytes.ts";
import type { Asset } from "../model/asset.ts";

export const uploadAssetInlineInput = z.strictObject({
  ...declaredTypeInput,
  base64: z.string().describe("Standard base64 with padding, without a data: prefix."),
  filename: filenameInput,
});

export const storedAssetOutput = z.object({ assetId: z.string(), bytes: z.number().int() });

/** Stores a small file sent in the call as a ready asset that is not on a post. */
export async function uploadAssetInline(
  deps: Pick<
    Deps,
    "assets" | "strayFiles" | "transact" | "files" | "media" | "newId" | "newSecret" | "clock" | "limits" | "platforms"
  >,
  caller: Caller,
  input: z.infer<typeof uploadAssetInlineInput>,
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  // Comes first, so that a file that is too large always gets the error that recommends a presigned upload.
  checkInlineSize(input.base64);
  const declaredType = parseDeclaredType(input.kind, input.mimeType);
  const content = decodeInline(input.base64);
  const source = createBufferSource(content);
  const checkResult = await checkContent(source, declaredType);
  await checkQuota(deps, caller.studio.id, content.length);
  const metadata = await readMediaMetadata(deps, source, declaredType, checkResult);
  const newAsset = buildNewAsset(deps, caller, {
    ...declaredType,
    filename: resolveFilename(input.filename, declaredType),
  });
  const key = createFileKey(deps, newAsset.id);
  return withReservedKey(deps, key, async (reserve) => {
    const storedFile = await deps.files.write(key, Readable.from([content]), {
      mimeType: declaredType.mimeType,
      maxBytes: inlineLimitBytes,
      beforeVisible: reserve,
    });
    const asset: Asset = { ...newAsset, ...toStoredFields(key, storedFile, metadata), status: "ready" };
    const detail = { filename: newAsset.filename, bytes: storedFile.bytes };
    await deps.transact(caller, (tx) => insertAsset(deps, tx, caller, asset, { action: "asset.uploaded", detail }));
    return { assetId: newAsset.id, bytes: storedFile.bytes };
  });
}
