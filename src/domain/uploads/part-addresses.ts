import { z } from "zod";
import { hours, isoTime } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isPart } from "../assets/part-store.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { findFile, onItsWay } from "./file-view.ts";
import type { UploadVisitor } from "./visit.ts";

/** Long enough for a part on the slowest line, short enough that a leaked one is of little use. */
const addressLifetime = hours(1);

export const partAddressesInput = z.strictObject({
  parts: z.array(z.number().int().min(1)).min(1).max(100),
});

export interface PartAddresses {
  addresses: { part: number; url: string }[];
  expiresAt: string;
}

/** Where to PUT the bytes of these parts. Opaque to whoever sends them. */
export async function partAddresses(
  deps: Pick<Deps, "uploads" | "files" | "clock">,
  visitor: UploadVisitor,
  input: z.infer<typeof partAddressesInput> & { fileId: string },
): Promise<PartAddresses> {
  authorize(visitor, "assets.write");
  const way = onItsWay(deps, await findFile(deps, visitor, input.fileId));
  if (!way) throw new AppError("already_attached", "The file has arrived already.");
  if (!input.parts.every((part) => isPart(way.parted, part)))
    throw new AppError("invalid_input", "parts: the file has no such part.");
  const expiresAt = Math.min(deps.clock() + addressLifetime, way.asset.uploadExpiresAt);
  const addresses = input.parts.map(async (part) => ({
    part,
    url: await deps.files.parts.address(way.parted, part, expiresAt),
  }));
  return { addresses: await Promise.all(addresses), expiresAt: isoTime(expiresAt) };
}
