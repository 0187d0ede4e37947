import { z } from "zod";
import { hours, toIsoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isValidPart } from "../ports/file-store.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { getFile, toUploadInProgress } from "./files.ts";
import { reserveParts } from "./reserve-parts.ts";
import type { UploadCaller } from "./upload-link.ts";

/** Long enough for a part on a slow connection, short enough to limit the damage of a leaked URL. */
export const partUrlLifetime = hours(1);

const maxAttempts = 10;

export const partUrlsInput = z.strictObject({
  parts: z.array(z.number().int().min(1)).min(1).max(100),
});

export interface PartUrls {
  /**
   * Can be only the lowest-numbered of the requested parts. Request the others again when the link can reserve more of
   * the quota.
   */
  urls: { part: number; url: string }[];
  expiresAt: string;
}

/** Reserves quota for these parts and returns URLs to PUT them to. */
export async function createPartUrls(
  deps: Pick<Deps, "uploads" | "assets" | "transact" | "files" | "clock" | "limits">,
  caller: UploadCaller,
  input: z.infer<typeof partUrlsInput> & { fileId: string },
): Promise<PartUrls> {
  authorize(caller, "assets.write");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) throw new AppError("already_attached:file");
    if (!input.parts.every((part) => isValidPart(upload.multipartFile, part))) throw new AppError("invalid_input:part");
    const parts = await reserveParts(deps, caller, file, upload, input.parts);
    if (!parts) continue;
    const expiresAt = Math.min(deps.clock() + partUrlLifetime, upload.asset.uploadExpiresAt);
    const partUrls = parts.map(async (part) => ({
      part,
      url: await deps.files.parts.createPartUrl(upload.multipartFile, part, expiresAt),
    }));
    return { urls: await Promise.all(partUrls), expiresAt: toIsoTime(expiresAt) };
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}
