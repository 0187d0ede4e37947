import { z } from "zod";
import { AppError } from "#lib/errors.ts";
import { type AssetKind, assetKinds } from "./asset-kinds.ts";
import { kindNames } from "./asset.ts";

/** The kind and type that the client or the remote server states for a file. */
export interface DeclaredType {
  kind: AssetKind;
  mimeType: string;
}

export const declaredTypeInput = {
  kind: z.enum(kindNames),
  mimeType: z.string().max(200).describe("Such as image/jpeg, video/mp4 or application/pdf."),
};

/** Normalizes the type; throws `unsupported_type` if the kind does not allow it. */
export function parseDeclaredType(kind: AssetKind, mimeType: string): DeclaredType {
  const normalizedType = normalizeMimeType(mimeType);
  const allowedTypes = assetKinds[kind];
  if (allowedTypes.includes(normalizedType)) return { kind, mimeType: normalizedType };
  const otherKind = findAssetKind(normalizedType);
  throw new AppError("unsupported_type:kind", {
    kind,
    mimeType: normalizedType.slice(0, 100),
    allowed: allowedTypes,
    ...(otherKind === undefined ? {} : { otherKind }),
  });
}

/** Removes parameters and lowercases: `Text/Plain; charset=utf-8` becomes `text/plain`. */
export function normalizeMimeType(mimeType: string): string {
  return (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

export function findAssetKind(mimeType: string): AssetKind | undefined {
  return kindNames.find((kind) => assetKinds[kind].includes(mimeType));
}
