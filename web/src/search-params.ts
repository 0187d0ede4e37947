import type { VisibleState } from "./api/publication-queries.ts";
import type { ActivityFilter, AssetFilter, PostStatus } from "./api/queries.ts";

/** Search parameters of page URLs. Unknown parameters and invalid values are dropped; the server validates free text. */

export interface PostSearch {
  status?: PostStatus;
  q?: string;
  tag?: string;
}

export const postStatuses = ["draft", "ready", "archived"] as const satisfies readonly PostStatus[];

export function parsePostSearch(params: Record<string, unknown>): PostSearch {
  const status = postStatuses.find((candidate) => candidate === params["status"]);
  return { ...(status ? { status } : {}), ...parseTextSearch(params) };
}

export const assetKinds = ["image", "video", "document"] as const satisfies readonly AssetFilter["kind"][];

export interface AssetSearch extends Pick<AssetFilter, "kind" | "unattached"> {
  q?: string;
  tag?: string;
}

export function parseAssetSearch(params: Record<string, unknown>): AssetSearch {
  const kind = assetKinds.find((candidate) => candidate === params["kind"]);
  const isUnattached = params["unattached"] === "true" || params["unattached"] === true;
  return { ...(kind ? { kind } : {}), ...(isUnattached ? { unattached: "true" } : {}), ...parseTextSearch(params) };
}

function parseTextSearch(params: Record<string, unknown>): { q?: string; tag?: string } {
  const [q, tag] = [parseText(params["q"]), parseText(params["tag"])];
  return { ...(q === undefined ? {} : { q }), ...(tag === undefined ? {} : { tag }) };
}

export function parseActivitySearch(params: Record<string, unknown>): ActivityFilter {
  const fields = (["userId", "clientId", "action"] as const).map((name) => [name, parseText(params[name])] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

export interface PublicationSearch {
  state?: VisibleState;
  postId?: string;
  /** Days in the studio's time zone, both inclusive (`2026-11-15`). */
  from?: string;
  to?: string;
}

export const publicationStates = [
  "proposed",
  "scheduled",
  "publishing",
  "published",
  "failed",
  "unconfirmed",
  "missed",
  "canceled",
] as const satisfies readonly VisibleState[];

export function parsePublicationSearch(params: Record<string, unknown>): PublicationSearch {
  const state = publicationStates.find((candidate) => candidate === params["state"]);
  const postId = parseText(params["postId"]);
  const [from, to] = [parseDay(params["from"]), parseDay(params["to"])];
  return {
    ...(state ? { state } : {}),
    ...(postId === undefined ? {} : { postId }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function parseDay(value: unknown): string | undefined {
  const day = parseText(value);
  return day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
}

function parseText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 200) : undefined;
}
