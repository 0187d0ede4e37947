import type { VisibleState } from "./api/publication-queries.ts";
import type { ActivityFilter, AssetFilter, PostStatus } from "./api/queries.ts";
import type { PostReview } from "./reviews/review-states.ts";
import type { CalendarRange } from "./posts/calendar/calendar-days.ts";

/** Search parameters of page URLs. Unknown parameters and invalid values are dropped; the server validates free text. */

export const postViews = ["list", "board", "calendar"] as const;
export type PostViewName = (typeof postViews)[number];

export interface PostSearch {
  /** The list by default. */
  view?: Exclude<PostViewName, "list">;
  status?: PostGroup;
  /** Whether the list and the board also show archived posts. */
  archived?: true;
  /** A user's id. */
  author?: string;
  q?: string;
  tag?: string;
  /** What guests decided; not on the calendar. */
  review?: (typeof postReviews)[number];
  /** The range of the calendar; a month by default. */
  range?: Exclude<CalendarRange, "month">;
  /** Ids of the accounts that the calendar shows, separated by commas; all by default. */
  accounts?: string;
  /** A day in the range of the calendar (`2026-11-15`); today by default. */
  date?: string;
}

export const postStatuses = ["draft", "ready", "archived"] as const satisfies readonly PostStatus[];
/** The tabs of the list and the columns of the board. Each post is in one of them. */
export const postGroups = ["draft", "ready", "scheduled", "published", "archived"] as const;
export type PostGroup = (typeof postGroups)[number];

export const postReviews = [
  "waiting",
  "changes_requested",
  "outdated",
  "approved",
] as const satisfies readonly PostReview[];

export function parsePostSearch(params: Record<string, unknown>): PostSearch {
  const status = postGroups.find((candidate) => candidate === params["status"]);
  const view = (["board", "calendar"] as const).find((candidate) => candidate === params["view"]);
  const range = (["week", "agenda"] as const).find((candidate) => candidate === params["range"]);
  const review = postReviews.find((candidate) => candidate === params["review"]);
  const [author, date] = [parseText(params["author"]), parseDay(params["date"])];
  const accounts = parseText(params["accounts"], 2000);
  return {
    ...(view ? { view } : {}),
    ...(status ? { status } : {}),
    ...(params["archived"] === true || params["archived"] === "true" ? { archived: true } : {}),
    ...(author === undefined ? {} : { author }),
    ...parseTextSearch(params),
    ...(review ? { review } : {}),
    ...(range ? { range } : {}),
    ...(accounts === undefined ? {} : { accounts }),
    ...(date === undefined ? {} : { date }),
  };
}

export const postPanels = ["comments", "history"] as const;
export type PostPanel = (typeof postPanels)[number];

export interface PostPageSearch {
  /** The panel that is open beside the post. */
  panel?: PostPanel;
  /** The id of the comment that a link leads to. */
  comment?: string;
  /** The intended time, which the user chose on the calendar, in the studio's time zone (`2026-11-15T09:30`). */
  at?: string;
}

export function parsePostPageSearch(params: Record<string, unknown>): PostPageSearch {
  const panel = postPanels.find((candidate) => candidate === params["panel"]);
  const comment = parseText(params["comment"]);
  const at = parseLocalTime(params["at"]);
  return {
    ...(panel ? { panel } : {}),
    ...(comment === undefined ? {} : { comment }),
    ...(at === undefined ? {} : { at }),
  };
}

export interface ApprovalSearch {
  /** The id of the post whose proposals are shown; all by default. */
  post?: string;
}

export function parseApprovalSearch(params: Record<string, unknown>): ApprovalSearch {
  const post = parsePostId(params["post"]);
  return post === undefined ? {} : { post };
}

function parsePostId(value: unknown): string | undefined {
  const text = parseText(value);
  return text !== undefined && /^pst_\w+$/.test(text) ? text : undefined;
}

export interface PlatformSearch extends Pick<PostPageSearch, "at"> {
  /** The id of the post from which the user came to connect an account. */
  post?: string;
}

export function parsePlatformSearch(params: Record<string, unknown>): PlatformSearch {
  const [post, at] = [parsePostId(params["post"]), parseLocalTime(params["at"])];
  return {
    ...(post === undefined ? {} : { post }),
    ...(at === undefined ? {} : { at }),
  };
}

export const assetKinds = ["image", "video", "document"] as const satisfies readonly AssetFilter["kind"][];

export interface AssetSearch extends Pick<AssetFilter, "kind" | "usage"> {
  q?: string;
  tag?: string;
  view?: "list";
  /** The id of the asset whose details are open. */
  file?: string;
}

const assetUsages = ["used", "unused"] as const satisfies readonly AssetFilter["usage"][];

export function parseAssetSearch(params: Record<string, unknown>): AssetSearch {
  const kind = assetKinds.find((candidate) => candidate === params["kind"]);
  const usage = assetUsages.find((candidate) => candidate === params["usage"]);
  const file = parseText(params["file"]);
  return {
    ...(kind ? { kind } : {}),
    ...(usage ? { usage } : {}),
    ...parseTextSearch(params),
    ...(params["view"] === "list" ? { view: "list" } : {}),
    ...(file === undefined ? {} : { file }),
  };
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
  /** Whether to omit publications that a newer one of the same post to the same account has replaced. */
  latest?: true;
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
    ...(params["latest"] === true || params["latest"] === "true" ? { latest: true } : {}),
  };
}

/** The choices of the *Results* page: ids and numbers as in the URL. */
export interface ResultSearch {
  /** The id of an account. */
  account?: string | undefined;
  /** In hours. */
  age?: string | undefined;
  days?: string | undefined;
  tag?: string | undefined;
  /** The metric by which posts are sorted; by time if there is none. */
  sort?: string | undefined;
}

export function parseResultSearch(params: Record<string, unknown>): ResultSearch {
  const names = ["account", "age", "days", "tag", "sort"] as const;
  const fields = names.map((name) => [name, parseText(params[name])] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function parseDay(value: unknown): string | undefined {
  const day = parseText(value);
  return day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
}

function parseLocalTime(value: unknown): string | undefined {
  const time = parseText(value);
  return time !== undefined && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(time) ? time : undefined;
}

function parseText(value: unknown, maxLength = 200): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, maxLength) : undefined;
}
