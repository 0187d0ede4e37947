import { isHandle } from "./identity.ts";

/** A part of the text that is a link, a mention or a tag. Positions count UTF-16 units, as strings do. */
type TextFeature = { start: number; end: number } & (
  | { kind: "link"; url: string }
  | { kind: "mention"; handle: string }
  | { kind: "tag"; tag: string }
);

/** Excludes punctuation that follows the link in a sentence. */
const linkPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;
/** Ends with a letter or digit, so that it excludes punctuation that follows. */
const mentionPattern = /(?<=^|[\s(])@([a-z0-9][a-z0-9.-]{0,251}[a-z0-9])/gi;
/** A tag ends at white space or an invisible character. U+FE0F after `#` makes it an emoji. */
const tagPattern = /(?<=^|\s)[#＃](?!\uFE0F)((?:(?!\u20E2)[^\s\u00AD\u2060\u200A-\u200D]){1,200})/gu;
const maxTagGraphemes = 64;
const maxTagBytes = 640;

/** Finds what apps show as links, mentions and tags, in the order of the text. */
function findFeatures(text: string): TextFeature[] {
  const links = [...text.matchAll(linkPattern)].map(({ 0: url, index }) => ({
    kind: "link" as const,
    url,
    start: index,
    end: index + url.length,
  }));
  const mentions = [...text.matchAll(mentionPattern)].flatMap(({ 1: name = "", index }) => {
    const handle = name.toLowerCase();
    return isHandle(handle) ? [{ kind: "mention" as const, handle, start: index, end: index + 1 + name.length }] : [];
  });
  const tags = [...text.matchAll(tagPattern)].flatMap(({ 1: name = "", index }) => {
    const tag = trimPunctuation(name);
    const end = index + 1 + tag.length;
    return isTag(tag) ? [{ kind: "tag" as const, tag, start: index, end }] : [];
  });
  const isFree = ({ start, end }: TextFeature): boolean =>
    links.every((link) => end <= link.start || start >= link.end);
  return [...links, ...mentions.filter(isFree), ...tags.filter(isFree)].toSorted((a, b) => a.start - b.start);
}

/** A loop, because a regular expression for the end of a text can take quadratic time. */
function trimPunctuation(text: string): string {
  const characters = Array.from(text);
  while (/^\p{P}$/u.test(characters.at(-1) ?? "")) characters.pop();
  return characters.join("");
}

/** A number is not a tag. */
function isTag(tag: string): boolean {
  if (tag === "" || /^[\d\p{P}]+$/u.test(tag) || Buffer.byteLength(tag) > maxTagBytes) return false;
  return Array.from(new Intl.Segmenter("en").segment(tag)).length <= maxTagGraphemes;
}

export function listMentionedHandles(text: string): string[] {
  const handles = findFeatures(text).flatMap((feature) => (feature.kind === "mention" ? [feature.handle] : []));
  return [...new Set(handles)];
}

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: [{ $type: string } & Record<string, string>];
}

/** The facets of `app.bsky.richtext.facet`, whose positions count UTF-8 bytes. Unknown handles stay text. */
export function buildFacets(text: string, didByHandle: Readonly<Record<string, string>>): Facet[] {
  return findFeatures(text).flatMap((feature) => {
    const value = toFacetFeature(feature, didByHandle);
    if (!value) return [];
    const byteStart = Buffer.byteLength(text.slice(0, feature.start));
    const byteEnd = byteStart + Buffer.byteLength(text.slice(feature.start, feature.end));
    return [{ index: { byteStart, byteEnd }, features: [value] }];
  });
}

function toFacetFeature(
  feature: TextFeature,
  didByHandle: Readonly<Record<string, string>>,
): Facet["features"][0] | undefined {
  switch (feature.kind) {
    case "link":
      return { $type: "app.bsky.richtext.facet#link", uri: feature.url };
    case "tag":
      return { $type: "app.bsky.richtext.facet#tag", tag: feature.tag };
    case "mention": {
      const did = Object.hasOwn(didByHandle, feature.handle) ? didByHandle[feature.handle] : undefined;
      return did === undefined ? undefined : { $type: "app.bsky.richtext.facet#mention", did };
    }
  }
}
