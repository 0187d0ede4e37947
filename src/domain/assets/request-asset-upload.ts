import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import { insertAsset } from "../changes/insert-asset.ts";
import { checkQuota } from "../changes/quota.ts";
import { declaredTypeInput, parseDeclaredType } from "../model/declared-type.ts";
import { incomingKey, uploadUrlLifetime } from "../model/storage-keys.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { filenameInput, resolveFilename } from "../steps/content/filename.ts";
import { buildPendingAsset } from "../steps/new-asset.ts";

export const requestAssetUploadInput = z.strictObject({ ...declaredTypeInput, filename: filenameInput });

export const requestAssetUploadOutput = z.object({
  assetId: z.string(),
  uploadUrl: z.string().describe("Accepts one plain HTTP PUT of the raw bytes; no extra headers are needed."),
  expiresAt: z.string().describe("When the URL stops accepting the file; 10 minutes from now."),
});

/** Creates a pending asset and a presigned URL for its bytes. */
export async function requestAssetUpload(
  deps: Pick<Deps, "assets" | "transact" | "files" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  input: z.infer<typeof requestAssetUploadInput>,
): Promise<z.infer<typeof requestAssetUploadOutput>> {
  authorize(caller, "assets.write");
  const declaredType = parseDeclaredType(input.kind, input.mimeType);
  await checkQuota(deps, caller.studio.id, 1); // the size is not known yet
  const asset = buildPendingAsset(
    deps,
    caller,
    { ...declaredType, filename: resolveFilename(input.filename, declaredType) },
    uploadUrlLifetime,
  );
  const expiresAt = asset.uploadExpiresAt;
  const uploadUrl = await deps.files.createUploadUrl(incomingKey(asset.id), {
    maxBytes: deps.limits[declaredType.kind],
    expiresAt,
  });
  const activity = { action: "asset.requested", detail: { filename: asset.filename } } as const;
  await deps.transact(caller, (tx) => insertAsset(deps, tx, caller, asset, activity));
  return { assetId: asset.id, uploadUrl, expiresAt: toIsoTime(expiresAt) };
}
