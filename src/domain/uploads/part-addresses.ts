import { z } from "zod";
import { hours, isoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isPart } from "../assets/part-store.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { findFile, onItsWay } from "./file-view.ts";
import { reserveParts } from "./reserve-parts.ts";
import type { UploadVisitor } from "./visit.ts";

/** Long enough for a part on the slowest line, short enough that a leaked one is of little use. */
export const partUrlLifetime = hours(1);

const maxRounds = 10;

export const partAddressesInput = z.strictObject({
  parts: z.array(z.number().int().min(1)).min(1).max(100),
});

export interface PartAddresses {
  /** Of the first parts; the others once the link may reserve more of the quota. */
  addresses: { part: number; url: string }[];
  expiresAt: string;
}

/** URLs to PUT these parts to, once their bytes are reserved. */
export async function partAddresses(
  deps: Pick<Deps, "uploads" | "assets" | "transact" | "files" | "clock" | "limits">,
  visitor: UploadVisitor,
  input: z.infer<typeof partAddressesInput> & { fileId: string },
): Promise<PartAddresses> {
  authorize(visitor, "assets.write");
  for (let round = 0; round < maxRounds; round++) {
    const file = await findFile(deps, visitor, input.fileId);
    const way = onItsWay(deps, file);
    if (!way) throw new AppError("already_attached:file");
    if (!input.parts.every((part) => isPart(way.parted, part))) throw new AppError("invalid_input:part");
    const parts = await reserveParts(deps, visitor, file, way, input.parts);
    if (!parts) continue;
    const expiresAt = Math.min(deps.clock() + partUrlLifetime, way.asset.uploadExpiresAt);
    const addresses = parts.map(async (part) => ({
      part,
      url: await deps.files.parts.address(way.parted, part, expiresAt),
    }));
    return { addresses: await Promise.all(addresses), expiresAt: isoTime(expiresAt) };
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}
