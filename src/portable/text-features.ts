import { countText, linkPattern } from "./count-text.ts";
import { isHandle } from "./handle.ts";

/** A part of the text that is a link, a mention or a tag. Positions count UTF-16 units, as strings do. */
export type TextFeature = { start: number; end: number } & (
  | { kind: "link"; url: string }
  | { kind: "mention"; handle: string }
  | { kind: "tag"; tag: string }
);

/** Ends with a letter or digit, so that it excludes punctuation that follows. */
const mentionPattern = /(?<=^|[\s(])@([a-z0-9][a-z0-9.-]{0,251}[a-z0-9])/gi;
/** A tag ends at white space or an invisible character. U+FE0F after `#` makes it an emoji. */
const tagPattern = /(?<=^|\s)[#＃](?!\uFE0F)((?:(?!\u20E2)[^\s\u00AD\u2060\u200A-\u200D]){1,200})/gu;
const maxTagGraphemes = 64;
const tagLimit = { unit: "graphemes", max: maxTagGraphemes } as const;
const maxTagBytes = 640;
const encoder = new TextEncoder();

/** Finds what apps for Bluesky show as links, mentions and tags, in the order of the text. */
export function findBlueskyFeatures(text: string): TextFeature[] {
  const links = findLinks(text);
  const mentions = [...text.matchAll(mentionPattern)].flatMap(({ 1: name = "", index }) => {
    const handle = name.toLowerCase();
    return isHandle(handle) ? [{ kind: "mention" as const, handle, start: index, end: index + 1 + name.length }] : [];
  });
  const tags = [...text.matchAll(tagPattern)].flatMap(({ 1: name = "", index }) => {
    const tag = trimPunctuation(name);
    const end = index + 1 + tag.length;
    return isTag(tag) ? [{ kind: "tag" as const, tag, start: index, end }] : [];
  });
  return mergeFeatures(links, [...mentions, ...tags]);
}

export const findLinks = (text: string): TextFeature[] =>
  [...text.matchAll(linkPattern)].map(({ 0: url, index }) => ({
    kind: "link",
    url,
    start: index,
    end: index + url.length,
  }));

/** Merges links, in the order of the text, with other features, except those inside a link. */
export function mergeFeatures(links: readonly TextFeature[], others: readonly TextFeature[]): TextFeature[] {
  const byStart = (a: TextFeature, b: TextFeature): number => a.start - b.start;
  let next = 0;
  const outsideLinks = others.toSorted(byStart).filter(({ start, end }) => {
    while (next < links.length && (links[next]?.end ?? 0) <= start) next++;
    return end <= (links[next]?.start ?? Infinity);
  });
  return [...links, ...outsideLinks].toSorted(byStart);
}

/** A loop, because a regular expression for the end of a text can take quadratic time. */
function trimPunctuation(text: string): string {
  const characters = Array.from(text);
  while (/^\p{P}$/u.test(characters.at(-1) ?? "")) characters.pop();
  return characters.join("");
}

/** A text of only digits and punctuation is not a tag. */
function isTag(tag: string): boolean {
  if (tag === "" || /^[\d\p{P}]+$/u.test(tag) || encoder.encode(tag).length > maxTagBytes) return false;
  // Most tags are short; a segmenter takes longer to create than to use.
  return tag.length <= maxTagGraphemes || countText(tag, tagLimit) <= maxTagGraphemes;
}
