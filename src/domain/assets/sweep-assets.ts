import { hours } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken } from "../overtaken.ts";
import { areas, assetOfKey, fileKeyOfThumbnail, type Area } from "./keys.ts";
import { removeFiles, removeRecord } from "./removal.ts";

/** Rows or keys a step: few enough that a request that waits for it does not notice. */
const batch = 100;
/** How long after its address expired an upload can still be attached. */
const graceAfterExpiry = hours(1);
/** A file that belongs to nobody is not touched before; whoever is writing it has ended by then. */
const orphanAge = hours(1);

export interface SweepOptions {
  /** Between two steps, so that requests come first. */
  pause: () => Promise<void>;
  /** When to leave the rest to the next run. */
  isOver: () => boolean;
}

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
export type Sweep = (options: SweepOptions) => Promise<Swept>;

/**
 * Takes away what belongs to no asset, and never anything that does. Safe because of an order that holds everywhere:
 * a key is in a record, or noted as stray, before bytes come to it; a record goes before its bytes; and once a key
 * was given up, no record can take it. So bytes without a record never become live.
 */
export function createSweeper(deps: Needs): Sweep {
  // Where the walk over the store was left: a run goes on from there, and begins again when it came to the end.
  const reached = new Map<Area, string>();
  return async ({ pause, isOver }) => {
    const swept: Swept = { expired: 0, strays: 0, orphans: 0, temporary: 0 };
    const repeat = async (step: () => Promise<number>, add: (count: number) => void): Promise<void> => {
      for (let count = batch; count >= batch && !isOver(); await pause()) add((count = await step()));
    };
    await repeat(
      () => sweepExpired(deps),
      (count) => void (swept.expired += count),
    );
    await repeat(
      () => sweepStrays(deps),
      (count) => void (swept.strays += count),
    );
    for (const area of areas) {
      await repeat(
        async () => {
          const { looked, removed, last } = await sweepOrphans(deps, area, reached.get(area));
          swept.orphans += removed;
          if (last === undefined || looked < batch) reached.delete(area);
          else reached.set(area, last);
          return looked;
        },
        () => {},
      );
    }
    swept.temporary = (await deps.files.sweepTemporary?.(deps.clock() - orphanAge)) ?? 0;
    return swept;
  };
}

async function sweepExpired(deps: Needs): Promise<number> {
  const expired = await deps.assets.listExpired(deps.clock() - graceAfterExpiry, batch);
  for (const asset of expired) {
    const gone = await deps
      .transact(async (tx) => {
        await removeRecord(deps, tx, asset);
        return true;
      })
      .catch(ifOvertaken);
    if (gone) await removeFiles(deps, asset);
  }
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
