import { hours } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { inBatches, type BatchOptions } from "../housekeeping/batches.ts";
import { areas, assetOfKey, fileKeyOfThumbnail, type Area } from "./keys.ts";
import { removeEach } from "./removal.ts";

/** Rows or keys a step: few enough that a request that waits for it does not notice. */
const batch = 100;
/** How long after its address expired an upload can still be attached. */
const graceAfterExpiry = hours(1);
/** A file that belongs to nobody is not touched before; whoever is writing it has ended by then. */
const orphanAge = hours(1);

export interface Swept {
  /** Pending records that nobody confirmed. */
  expired: number;
  /** Files whose key was noted when they came to belong to nobody. */
  strays: number;
  /** Files that lay in the store with no asset to them. */
  orphans: number;
  /** What the store itself had left over. */
  temporary: number;
}

type Needs = Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "clock">;
export type Sweep = (options: BatchOptions) => Promise<Swept>;

/**
 * Takes away what belongs to no asset, and never anything that does. Safe because of an order that holds everywhere:
 * a key is in a record, or noted as stray, before bytes come to it; a record goes before its bytes; and once a key
 * was given up, no record can take it. So bytes without a record never become live.
 */
export function createSweeper(deps: Needs): Sweep {
  // Where the walk over the store was left: a run goes on from there, and begins again when it came to the end.
  const reached = new Map<Area, string>();
  return async (options) => {
    const expired = await inBatches(options, batch, () => sweepExpired(deps));
    const strays = await inBatches(options, batch, () => sweepStrays(deps));
    let orphans = 0;
    for (const area of areas) {
      await inBatches(options, batch, async () => {
        const { looked, removed, last } = await sweepOrphans(deps, area, reached.get(area));
        orphans += removed;
        if (last === undefined || looked < batch) reached.delete(area);
        else reached.set(area, last);
        return looked;
      });
    }
    const temporary = (await deps.files.sweepTemporary?.(deps.clock() - orphanAge)) ?? 0;
    return { expired, strays, orphans, temporary };
  };
}

async function sweepExpired(deps: Needs): Promise<number> {
  const expired = await deps.assets.listExpired(deps.clock() - graceAfterExpiry, batch);
  await removeEach(deps, expired);
  return expired.length;
}

async function sweepStrays(deps: Needs): Promise<number> {
  const keys = await deps.transact((tx) => tx.strayFiles.doomDue(deps.clock(), batch));
  await discard(deps, keys);
  return keys.length;
}

/** Doomed first: whoever wrote to one of these keys and slept ever since cannot make an asset of it any more. */
async function discard(deps: Needs, keys: readonly string[]): Promise<void> {
  await deps.strayFiles.doom(keys, deps.clock());
  for (const key of keys) await deps.files.remove(key);
  await deps.strayFiles.forget(keys);
}

async function sweepOrphans(
  deps: Needs,
  area: Area,
  after: string | undefined,
): Promise<{ looked: number; removed: number; last: string | undefined }> {
  const listed = await deps.files.list(area, { limit: batch, ...(after === undefined ? {} : { after }) });
  const old = listed.filter(({ modifiedAt }) => modifiedAt <= deps.clock() - orphanAge);
  // Looked up after the listing: what has no record now had none when it was listed, or lost it since.
  const ids = new Set(old.flatMap(({ key }) => assetOfKey(key) ?? []));
  const records = new Map((await deps.assets.findForSweep([...ids])).map((asset) => [asset.id, asset]));
  const orphans = old.filter(({ key }) => {
    const asset = records.get(assetOfKey(key) ?? "");
    if (area === "incoming/") return asset?.status !== "pending";
    return asset?.storageKey !== (area === "thumbs/" ? fileKeyOfThumbnail(key) : key);
  });
  await discard(
    deps,
    orphans.map(({ key }) => key),
  );
  return { looked: listed.length, removed: orphans.length, last: listed.at(-1)?.key };
}
