import { findBlueskyFeatures, findLinks, mergeFeatures, type TextFeature } from "#portable/text-features.ts";
import type { PlatformDisplay } from "./platform-displays.ts";

export interface TextPart {
  text: string;
  kind: TextFeature["kind"] | "text";
}

/** Splits a text into plain text and the links, mentions and tags that the platform recognizes. */
export function splitText(text: string, features: PlatformDisplay["features"]): TextPart[] {
  const parts: TextPart[] = [];
  let position = 0;
  const add = (end: number, kind: TextPart["kind"]): void => {
    if (end > position) parts.push({ text: text.slice(position, end), kind });
    position = Math.max(position, end);
  };
  for (const { start, end, kind } of findFeatures(text, features)) {
    add(start, "text");
    add(end, kind);
  }
  add(text.length, "text");
  return parts;
}

function findFeatures(text: string, features: PlatformDisplay["features"]): TextFeature[] {
  if (features === "bluesky") return findBlueskyFeatures(text);
  const { hasLinks, mention, tag } = features;
  const links = findLinks(text);
  const mentions = listMatches(text, mention).map(({ match, ...range }) => ({
    ...range,
    kind: "mention" as const,
    handle: match.slice(1),
  }));
  const tags = listMatches(text, tag).map(({ match, ...range }) => ({
    ...range,
    kind: "tag" as const,
    tag: match.slice(1),
  }));
  // Part of a URL is never a tag or mention, even if the platform does not turn URLs into links.
  const mergedFeatures = mergeFeatures(links, [...mentions, ...tags]);
  return hasLinks ? mergedFeatures : mergedFeatures.filter(({ kind }) => kind !== "link");
}

const listMatches = (text: string, pattern: RegExp | undefined): { match: string; start: number; end: number }[] =>
  pattern
    ? [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ match, start: index, end: index + match.length }))
    : [];
