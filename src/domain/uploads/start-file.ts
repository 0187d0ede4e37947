import { z } from "zod";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Asset } from "../assets/asset.ts";
import { emptyFile } from "../assets/base64.ts";
import { kindOf, plainType, type Declared } from "../assets/declared.ts";
import { cleanFilename, filenameFor, typeOfFilename } from "../assets/filename.ts";
import { headLength, recognizeHead } from "../assets/gate/recognize-type.ts";
import { newFileKey } from "../assets/keys.ts";
import { newPendingAsset } from "../assets/new-asset.ts";
import { partBytesFor } from "../assets/part-store.ts";
import { takePlace } from "../assets/place.ts";
import { removeFiles, removeRecord } from "../assets/removal.ts";
import { chargeStudio, checkQuota } from "../assets/store-bytes.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { authorize } from "../policy.ts";
import { text } from "../text.ts";
import { onItsWay, viewFile, type FileView } from "./file-view.ts";
import { fileLifetime, linkExpired } from "./link.ts";
import type { UploadFile } from "./ports.ts";
import { firstReservation } from "./reservations.ts";
import type { UploadVisitor } from "./visit.ts";

export const startFileInput = z.strictObject({
  name: text(1000),
  size: z.number().int().min(0),
  lastModified: z
    .number()
    .int()
    .describe("Of the file, in milliseconds; with name and size it tells the same file again."),
  type: text(200).default(""),
  head: z
    .base64()
    .max(Math.ceil(headLength / 3) * 4)
    .optional()
    .describe("The first 64 KiB: a file that is not accepted is rejected before the rest is sent."),
});

type Input = z.infer<typeof startFileInput>;

export interface StartedFile {
  file: FileView;
  partBytes: number;
  /** The parts that are there: none for a new file. */
  parts: number[];
}

type Needs = Pick<
  Deps,
  | "uploads"
  | "posts"
  | "assets"
  | "strayFiles"
  | "transact"
  | "files"
  | "signer"
  | "newId"
  | "newSecret"
  | "clock"
  | "limits"
  | "base"
>;

const maxRounds = 10;

/**
 * Begins a file, or goes on with it: the same name, size and time of change are the same file, also after a reload, in
 * another browser, and after the link's 30 minutes. A new file takes its place on the post, and reserves its
 * bytes of the studio's quota, in the transaction that makes its record: a full post says so before a byte is sent.
 */
export async function startFile(deps: Needs, visitor: UploadVisitor, input: Input): Promise<StartedFile> {
  authorize(visitor, "assets.write");
  const hash = sha256(JSON.stringify([input.name, input.size, input.lastModified]));
  for (let round = 0; round < maxRounds; round++) {
    const known = await deps.uploads.findByHash(visitor.link.id, hash);
    const started = known ? await goOn(deps, visitor, known) : await begin(deps, visitor, input, hash);
    if (started) return started;
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

async function goOn(deps: Needs, visitor: UploadVisitor, known: UploadFile): Promise<StartedFile | undefined> {
  const { partBytes } = known;
  const way = onItsWay(deps, known);
  if (!way) return { file: await viewFile(deps, visitor, known), partBytes, parts: [] };
  const parts = await deps.files.parts.list(way.parted);
  if (parts) return { file: await viewFile(deps, visitor, known), partBytes, parts };
  // The store does not know of it any more: it begins anew.
  await deps.transact((tx) => removeRecord(deps, tx, way.asset)).catch(ifOvertaken);
  await removeFiles(deps, way.asset);
  return undefined;
}

async function begin(
  deps: Needs,
  visitor: UploadVisitor,
  input: Input,
  hash: string,
): Promise<StartedFile | undefined> {
  if (visitor.state !== "open") throw linkExpired();
  const { link, studio } = visitor;
  const { size } = input;
  if (size === 0) throw emptyFile();
  const name = shorten(cleanFilename(input.name));
  const declared = await recognizeHead(input.head, size, typeByName(name, input.type));
  await checkQuota(deps, studio.id, size);
  const post = await deps.posts.find(studio.id, link.postId);
  if (post && post.assetCount >= deps.limits.assetsPerPost) throw postFull(deps);

  const partBytes = partBytesFor(size);
  const blank = newPendingAsset(deps, visitor, { ...declared, filename: filenameFor(name, declared) }, fileLifetime);
  const storageKey = newFileKey(deps, blank.id);
  const sourceVersion = await deps.files.parts.start(storageKey, {
    bytes: size,
    partBytes,
    mimeType: declared.mimeType,
  });
  let inserted: Asset | undefined;
  try {
    inserted = await deps
      .transact(async (tx) => {
        const position = await takePlace(deps, tx, blank, link.postId);
        const chargedBytes = await firstReservation(deps, tx, link.id, size);
        const asset: Asset = { ...blank, postId: link.postId, position, storageKey, sourceVersion, chargedBytes };
        await tx.assets.insert(asset);
        if (chargedBytes > 0) await chargeStudio(deps, tx, studio.id, chargedBytes);
        const file = { assetId: asset.id, bytes: size, partBytes };
        if (!(await tx.uploads.insertFile(link.id, hash, file, deps.clock()))) throw new Overtaken();
        await recordActivity(deps, tx, visitor, "asset.requested", asset.id, {
          filename: asset.filename,
          postId: link.postId,
          linkId: link.id,
        });
        return asset;
      })
      .catch(ifOvertaken);
  } finally {
    // What fails here the sweeper finds: nothing was written yet.
    if (!inserted) await deps.files.parts.abort({ key: storageKey, id: sourceVersion }).catch(() => {});
  }
  return (
    inserted && {
      file: await viewFile(deps, visitor, { asset: inserted, bytes: size }),
      partBytes,
      parts: [],
    }
  );
}

/** What the extension stands for, or else what the browser says. */
function typeByName(name: string, browserType: string): Declared | undefined {
  const mimeType = typeOfFilename(name) ?? plainType(browserType);
  const kind = kindOf(mimeType);
  return kind && { kind, mimeType };
}

const maxName = 200;

/** Its ending stays: that is what people tell types by. */
function shorten(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= maxName) return name;
  const ending = /\.[^.\s]{1,10}$/u.exec(name)?.[0] ?? "";
  return characters.slice(0, maxName - ending.length).join("") + ending;
}

const postFull = ({ limits }: Pick<Deps, "limits">): AppError =>
  new AppError("asset_limit_reached", { limit: limits.assetsPerPost });
