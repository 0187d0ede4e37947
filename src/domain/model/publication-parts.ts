import type { PublicationContent } from "./publication-content.ts";

export const maxFollowUps = 24;

/** A part of a publication that is public. Part 0 is the post itself. */
export interface PublishedPart {
  part: number;
  /** Null if a person said that the part is public. */
  remoteId: string | null;
  url: string | null;
  publishedAt: number;
}

/** The posts that a part belongs below, by their ids at the platform. */
export interface ReplyTarget {
  /** The first part. */
  rootId: string;
  /** The part before. */
  parentId: string;
}

export const countParts = ({ followUps = [] }: Pick<PublicationContent, "followUps">): number => 1 + followUps.length;

/** What the commit of one part sends. */
export function selectPart({ followUps = [], ...first }: PublicationContent, part: number): PublicationContent {
  const text = followUps[part - 1];
  return text === undefined ? first : { title: null, text, assets: [], options: first.options };
}

/** The problem of a published publication whose later parts are missing. */
export const createPartsProblem = (
  publicParts: number,
  content: PublicationContent,
  reason = "",
): { code: string; message: string } => ({
  code: "parts_missing",
  message: `${publicParts} of ${countParts(content)} parts are public. ${reason}`.trim(),
});
