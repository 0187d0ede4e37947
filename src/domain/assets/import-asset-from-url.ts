import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { PublicFetchError, type OpenedUrl } from "#lib/public-fetch.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { answeredBefore, idempotencyKey, once, type Call } from "../idempotency/once.ts";
import { authorize } from "../policy.ts";
import { text } from "../text.ts";
import { kindNames, type Asset } from "./asset.ts";
import { sourceInStore } from "./byte-source.ts";
import { learnFacts } from "./facts.ts";
import { filenameInput } from "./filename.ts";
import { checkBytes } from "./gate/gate.ts";
import { guessDeclared } from "./gate/guess-type.ts";
import { newFileKey } from "./keys.ts";
import { blankAsset } from "./new-asset.ts";
import { createPeek } from "./peek.ts";
import { checkQuota, giveUp, insertReady, storeAhead, storedColumns } from "./store-bytes.ts";
import type { storedAssetOutput } from "./upload-asset-inline.ts";

export const importAssetFromUrlInput = z.strictObject({
  url: text(4000).describe("An https address that anyone on the internet can read."),
  kind: z.enum(kindNames).optional().describe("Told from the file where left out."),
  filename: filenameInput,
  idempotencyKey,
});

type Output = z.infer<typeof storedAssetOutput>;

/** However slowly it comes, a file has this long to arrive. */
const importTimeout = minutes(10);

export interface ImportContext {
  /** Ends the import where nobody waits for it any more. */
  signal?: AbortSignal;
}

type Needs = Pick<
  Deps,
  | "assets"
  | "strayFiles"
  | "idempotency"
  | "transact"
  | "files"
  | "media"
  | "openUrl"
  | "importSlots"
  | "newId"
  | "newSecret"
  | "clock"
  | "limits"
>;

/** Fetches a file from a public address and stores it. Ready at once, on no post. */
export async function importAssetFromUrl(
  deps: Needs,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  context: ImportContext = {},
): Promise<Output> {
  authorize(caller, "assets.write");
  const { idempotencyKey: key, ...fields } = input;
  const call = { verb: "import_asset_from_url", key, input: fields };
  const before = await answeredBefore<Output>(deps, caller, call);
  if (before) return before;
  await checkQuota(deps, caller.studio.id, 1);
  const timeout = AbortSignal.timeout(importTimeout);
  const signal = context.signal ? AbortSignal.any([context.signal, timeout]) : timeout;
  // Before the name is resolved: a host that never responds occupies a lookup and a socket as well.
  const releaseSlot = deps.importSlots.take(caller);
  try {
    const opened = await open(deps, input.url, signal);
    try {
      return await store(deps, caller, input, call, opened, signal);
    } finally {
      opened.body.destroy();
    }
  } finally {
    releaseSlot();
  }
}

async function store(
  deps: Needs,
  caller: Caller,
  input: z.infer<typeof importAssetFromUrlInput>,
  call: Call,
  opened: OpenedUrl,
  signal: AbortSignal,
): Promise<Output> {
  const peek = await createPeek(reachable(opened.body), 8192);
  const { declared, filename } = await guessDeclared(peek.head, opened, input);
  const ceiling = deps.limits[declared.kind];
  if (Number(opened.headers["content-length"] ?? 0) > ceiling) throw tooLarge(ceiling);

  const blank = blankAsset(deps, caller, { ...declared, filename });
  const storageKey = newFileKey(deps, blank.id);
  return storeAhead(deps, storageKey, async () => {
    const stored = await deps.files.write(storageKey, peek.all(), {
      mimeType: declared.mimeType,
      maxBytes: ceiling,
      signal,
    });
    const source = sourceInStore(deps.files, storageKey, stored.bytes, signal);
    const facts = await learnFacts(deps, source, declared, await checkBytes(source, declared));
    const asset: Asset = { ...blank, ...storedColumns(storageKey, stored, facts), status: "ready" };
    const made = await deps.transact((tx) =>
      once(deps, tx, caller, call, async () => {
        await insertReady(deps, tx, asset);
        await recordActivity(deps, tx, caller, "asset.imported", asset.id, {
          filename,
          bytes: stored.bytes,
          host: opened.url.host,
        });
        return { assetId: asset.id, bytes: stored.bytes };
      }),
    );
    // A parallel call with the same key was first: its asset is the one, and these bytes are not wanted.
    if (made.assetId !== asset.id) await giveUp(deps, storageKey);
    return made;
  });
}

async function open(deps: Pick<Deps, "openUrl">, url: string, signal: AbortSignal): Promise<OpenedUrl> {
  const opened = await deps.openUrl(url, signal).catch(asOurs);
  if (opened.status >= 200 && opened.status < 300) return opened;
  opened.body.destroy();
  throw unreachable(`the server returned status ${opened.status}`);
}

/** What breaks off on the way is the address's fault, not the store's. */
async function* reachable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw unreachable("the connection closed before the file was complete");
  }
}

function asOurs(error: unknown): never {
  if (!(error instanceof PublicFetchError)) throw error;
  if (!error.blocked) throw unreachable(error.message);
  throw new AppError("url_blocked:import", { cause: error.message });
}

const unreachable = (cause: string): AppError => new AppError("url_unreachable:import", { cause });

const tooLarge = (ceiling: number): AppError => new AppError("too_large:import", { limitBytes: ceiling });
