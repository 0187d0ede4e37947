import type { ActivityFilter, AssetFilter, PostStatus } from "./api/queries.ts";

/** What the address of a page may carry. Anything else in it is left out; the server judges the rest. */

export interface PostSearch {
  status?: PostStatus;
  q?: string;
}

export const postStatuses = ["draft", "ready", "archived"] as const satisfies readonly PostStatus[];

export function readPostSearch(given: Record<string, unknown>): PostSearch {
  const status = postStatuses.find((one) => one === given["status"]);
  const q = readText(given["q"]);
  return { ...(status ? { status } : {}), ...(q === undefined ? {} : { q }) };
}

export const assetKinds = ["image", "video", "document"] as const satisfies readonly AssetFilter["kind"][];

export function readAssetSearch(given: Record<string, unknown>): AssetFilter {
  const kind = assetKinds.find((one) => one === given["kind"]);
  const isUnattached = given["unattached"] === "true" || given["unattached"] === true;
  return { ...(kind ? { kind } : {}), ...(isUnattached ? { unattached: "true" } : {}) };
}

export function readActivitySearch(given: Record<string, unknown>): ActivityFilter {
  const fields = (["userId", "clientId", "action"] as const).map((name) => [name, readText(given[name])] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 200) : undefined;
}
