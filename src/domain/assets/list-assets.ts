import { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { type Page, pageInput, parseCursor, toPage } from "../model/page.ts";
import { authorize } from "../policy.ts";
import { splitQuery } from "../model/search/fold.ts";
import { search } from "../steps/search.ts";
import { fuzzyFilter, tagFilter, text } from "../model/text.ts";
import { type Asset, type AssetDetail, kindNames, listedAssetView, toListedAssetView } from "../model/asset.ts";
import { describeAssets } from "../steps/describe-asset.ts";

export const listAssetsInput = z.strictObject({
  unattached: z.boolean().optional().describe("Only assets that are not on a post."),
  kind: z.enum(kindNames).optional(),
  tag: tagFilter,
  query: text(200)
    .optional()
    .describe("Every word must occur in filename, alt text or tags; parts of longer words match too."),
  fuzzy: fuzzyFilter,
  ...pageInput,
});

/** The web app's input: unlike the tool, its library can also list only the files that are on a post. */
export const listAssetDetailsInput = listAssetsInput.extend({ usage: z.enum(["used", "unused"]).optional() });

type ListDeps = Pick<Deps, "assets" | "clock" | "searchQueue">;

type Input = z.infer<typeof listAssetsInput> & Pick<z.infer<typeof listAssetDetailsInput>, "usage">;

export const listAssetsOutput = z.object({ assets: z.array(listedAssetView), nextCursor: z.string().nullable() });

/**
 * Lists a studio's assets, newest first. Cursors stay valid while assets are added or removed. A page of search results
 * can have fewer assets than `limit`, even none, and still have a cursor.
 */
export async function listAssets(
  deps: ListDeps,
  caller: Caller,
  input: Input,
): Promise<z.infer<typeof listAssetsOutput>> {
  const { items, nextCursor } = await readPage(deps, caller, input);
  return { assets: items.map(toListedAssetView), nextCursor };
}

/** The same list with URLs and media metadata, for the web app. */
export async function listAssetDetails(
  deps: ListDeps & Pick<Deps, "files" | "signer" | "baseUrl">,
  caller: Caller,
  input: Input,
): Promise<{ assets: AssetDetail[]; nextCursor: string | null }> {
  const { items, nextCursor } = await readPage(deps, caller, input);
  return { assets: await describeAssets(deps, items), nextCursor };
}

async function readPage(
  deps: ListDeps,
  caller: Caller,
  {
    unattached,
    usage = unattached ? "unused" : undefined,
    kind,
    tag,
    query = "",
    fuzzy: allowsTypos,
    limit,
    cursor,
  }: Input,
): Promise<Page<Asset>> {
  authorize(caller, "assets.read");
  const terms = { words: splitQuery(query), tag, allowsTypos };
  const isSearch = terms.words.length > 0 || tag !== undefined;
  const searchKey = isSearch ? ` ${JSON.stringify(terms)}` : "";
  const listKey = `assets ${caller.studio.id} ${usage ?? ""} ${kind ?? ""}${searchKey}`;
  const filter = { unattached: usage === undefined ? undefined : usage === "unused", kind };
  const range = { before: parseCursor(cursor, listKey), limit: limit + 1 };
  const { items, scannedTo } = isSearch
    ? await search(deps, caller, { source: deps.assets.search, terms, filter, ...range })
    : { items: await deps.assets.list(caller.studio.id, { ...filter, ...range }), scannedTo: undefined };
  return toPage(items, limit, listKey, scannedTo);
}
