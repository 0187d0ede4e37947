import { Readable } from "node:stream";
import { z } from "zod";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { checkInlineSize, decodeInline } from "./base64.ts";
import { sourceOfBuffer } from "./byte-source.ts";
import { checkDeclared, declaredInput } from "./declared.ts";
import { learnFacts } from "./facts.ts";
import { filenameFor, filenameInput } from "./filename.ts";
import { checkBytes } from "./gate/gate.ts";
import { newFileKey } from "./keys.ts";
import { inlineLimitBytes } from "./kinds.ts";
import { blankAsset } from "./new-asset.ts";
import { checkQuota, insertReady, storeAhead, storedColumns } from "./store-bytes.ts";

export const uploadAssetInlineInput = z.strictObject({
  ...declaredInput,
  base64: z.string().describe("The file in standard base64 with padding; line breaks are skipped, no data: prefix."),
  filename: filenameInput,
});

export const storedAssetOutput = z.object({ assetId: z.string(), bytes: z.number().int() });

/** Stores a small file that came with the call. Ready at once, on no post. */
export async function uploadAssetInline(
  deps: Pick<
    Deps,
    "assets" | "strayFiles" | "transact" | "files" | "media" | "newId" | "newSecret" | "clock" | "limits"
  >,
  caller: Caller,
  input: z.infer<typeof uploadAssetInlineInput>,
): Promise<z.infer<typeof storedAssetOutput>> {
  authorize(caller, "assets.write");
  // Before anything else about the file: whoever sends too much learns at once of the way that takes it.
  const packed = checkInlineSize(input.base64);
  const declared = checkDeclared(input.kind, input.mimeType);
  const content = decodeInline(packed);
  const source = sourceOfBuffer(content);
  const passed = await checkBytes(source, declared);
  await checkQuota(deps, caller.studio.id, content.length);
  const facts = await learnFacts(deps, source, declared, passed);
  const blank = blankAsset(deps, caller, { ...declared, filename: filenameFor(input.filename, declared) });
  const key = newFileKey(deps, blank.id);
  return storeAhead(deps, key, async () => {
    const stored = await deps.files.write(key, Readable.from([content]), {
      mimeType: declared.mimeType,
      maxBytes: inlineLimitBytes,
    });
    await deps.transact(async (tx) => {
      await insertReady(deps, tx, { ...blank, ...storedColumns(key, stored, facts), status: "ready" });
      await recordActivity(deps, tx, caller, "asset.uploaded", blank.id, {
        filename: blank.filename,
        bytes: stored.bytes,
      });
    });
    return { assetId: blank.id, bytes: stored.bytes };
  });
}
