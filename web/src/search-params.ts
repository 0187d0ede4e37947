import type { ActivityFilter, AssetFilter, PostStatus } from "./api/queries.ts";

/** Search parameters of page URLs. Unknown ones are dropped; the server validates the values. */

export interface PostSearch {
  status?: PostStatus;
  q?: string;
}

export const postStatuses = ["draft", "ready", "archived"] as const satisfies readonly PostStatus[];

export function parsePostSearch(params: Record<string, unknown>): PostSearch {
  const status = postStatuses.find((candidate) => candidate === params["status"]);
  const q = parseText(params["q"]);
  return { ...(status ? { status } : {}), ...(q === undefined ? {} : { q }) };
}

export const assetKinds = ["image", "video", "document"] as const satisfies readonly AssetFilter["kind"][];

export function parseAssetSearch(params: Record<string, unknown>): AssetFilter {
  const kind = assetKinds.find((candidate) => candidate === params["kind"]);
  const isUnattached = params["unattached"] === "true" || params["unattached"] === true;
  return { ...(kind ? { kind } : {}), ...(isUnattached ? { unattached: "true" } : {}) };
}

export function parseActivitySearch(params: Record<string, unknown>): ActivityFilter {
  const fields = (["userId", "clientId", "action"] as const).map((name) => [name, parseText(params[name])] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function parseText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 200) : undefined;
}
