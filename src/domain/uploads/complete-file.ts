import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Asset, AssetOnItsWay, ReadyAsset } from "../assets/asset.ts";
import { sourceInStore } from "../assets/byte-source.ts";
import { learnFacts } from "../assets/facts.ts";
import { fitExtension } from "../assets/filename.ts";
import type { StoredFile } from "../assets/file-store.ts";
import { checkBytes, type Passed } from "../assets/gate/gate.ts";
import { recognizeType } from "../assets/gate/recognize-type.ts";
import { removeFiles, removeRecord } from "../assets/removal.ts";
import { chargeStudio } from "../assets/store-bytes.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { authorize } from "../policy.ts";
import { findFile, onItsWay, viewFile, type FileView } from "./file-view.ts";
import type { UploadVisitor } from "./visit.ts";

type Needs = Pick<
  Deps,
  | "uploads"
  | "assets"
  | "strayFiles"
  | "transact"
  | "files"
  | "media"
  | "signer"
  | "newId"
  | "clock"
  | "base"
  | "limits"
>;

/** A file that was accepted, as what it is. */
type Checked = Passed & Pick<Asset, "kind" | "mimeType" | "filename">;

const maxRounds = 10;

/**
 * All parts were sent: the store makes the file of those it has, the gate judges it, and it is on the post. Its place
 * was kept for it since it began. Any number of parallel calls come to one outcome, and so does one after a crash: the
 * store completes once, and one conditional statement turns the record ready.
 */
export async function completeFile(deps: Needs, visitor: UploadVisitor, input: { fileId: string }): Promise<FileView> {
  authorize(visitor, "assets.write");
  for (let round = 0; round < maxRounds; round++) {
    const file = await findFile(deps, visitor, input.fileId);
    const way = onItsWay(deps, file);
    if (!way) return viewFile(deps, visitor, file);
    const stored = await deps.files.parts.complete(way.parted);
    if (!stored) throw partsMissing();
    const checked = await judge(deps, visitor, way.asset, stored);
    const ready = checked && (await makeReady(deps, visitor, way.asset, stored, checked));
    if (ready) return viewFile(deps, visitor, { ...file, asset: ready });
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

/** A file that does not pass goes, and its record and place with it. Undefined where somebody else got ahead. */
async function judge(
  deps: Needs,
  visitor: UploadVisitor,
  asset: AssetOnItsWay,
  { bytes }: StoredFile,
): Promise<Checked | undefined> {
  try {
    const source = sourceInStore(deps.files, asset.storageKey, bytes);
    const { kind, mimeType } = await recognizeType(source, asset);
    const passed = await checkBytes(source, { kind, mimeType });
    return { ...passed, kind, mimeType, filename: fitExtension(asset.filename, mimeType) };
  } catch (error) {
    if (!(error instanceof AppError) || !["too_large", "type_mismatch", "invalid_input"].includes(error.code)) {
      // The file may have been taken away by a parallel call that judged it first.
      const current = await deps.assets.find(asset.studioId, asset.id);
      if (current?.status === "pending") throw error;
      return undefined;
    }
    const gone = await deps
      .transact(async (tx) => {
        await removeRecord(deps, tx, asset);
        await recordActivity(deps, tx, visitor, "asset.refused", asset.id, {
          filename: asset.filename,
          code: error.code,
        });
        return true;
      })
      .catch(ifOvertaken);
    if (!gone) return undefined;
    await removeFiles(deps, asset);
    throw error;
  }
}

async function makeReady(
  deps: Needs,
  visitor: UploadVisitor,
  asset: AssetOnItsWay,
  stored: StoredFile,
  checked: Checked,
): Promise<ReadyAsset | undefined> {
  const { id, studioId, postId, storageKey } = asset;
  const { kind, mimeType, filename } = checked;
  const facts = await learnFacts(deps, sourceInStore(deps.files, storageKey, stored.bytes), checked, checked);
  return deps
    .transact(async (tx) => {
      if (!(await tx.posts.touch(studioId, postId, deps.clock()))) throw new Overtaken();
      const ready = await tx.assets.confirmInPlace(asset, {
        ...stored,
        ...facts,
        kind,
        mimeType,
        filename,
      });
      if (!ready) throw new Overtaken();
      const uncharged = stored.bytes - asset.chargedBytes;
      if (uncharged !== 0) await chargeStudio(deps, tx, studioId, uncharged);
      const detail = { postId, filename, bytes: stored.bytes, linkId: visitor.link.id };
      await recordActivity(deps, tx, visitor, "asset.attached", id, detail);
      return ready;
    })
    .catch(ifOvertaken);
}

const partsMissing = (): AppError => new AppError("not_uploaded:parts");
