import { z } from "zod";
import { AppError } from "#lib/errors.ts";
import { kindNames } from "./asset.ts";
import { assetKinds, type AssetKind } from "./kinds.ts";

/** What someone says a file is. */
export interface Declared {
  kind: AssetKind;
  mimeType: string;
}

export const declaredInput = {
  kind: z.enum(kindNames),
  mimeType: z
    .string()
    .max(200)
    .describe("A type allowed for the kind, such as image/jpeg, video/mp4 or application/pdf."),
};

/** The type in its plain form; throws `unsupported_type` unless the kind takes it. */
export function checkDeclared(kind: AssetKind, mimeType: string): Declared {
  const plain = plainType(mimeType);
  const allowed: readonly string[] = assetKinds[kind];
  if (allowed.includes(plain)) return { kind, mimeType: plain };
  const otherKind = kindOf(plain);
  throw new AppError("unsupported_type:kind", {
    kind,
    mimeType: plain.slice(0, 100),
    allowed,
    ...(otherKind === undefined ? {} : { otherKind }),
  });
}

/** Without parameters, in lower case: `Text/Plain; charset=utf-8` is `text/plain`. */
export function plainType(mimeType: string): string {
  return (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

export function kindOf(mimeType: string): AssetKind | undefined {
  return kindNames.find((kind) => (assetKinds[kind] as readonly string[]).includes(mimeType));
}
