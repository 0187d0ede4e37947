import { findBlueskyFeatures, type TextFeature } from "#portable/text-features.ts";

export function listMentionedHandles(text: string): string[] {
  const handles = findBlueskyFeatures(text).flatMap((feature) => (feature.kind === "mention" ? [feature.handle] : []));
  return [...new Set(handles)];
}

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: [{ $type: string } & Record<string, string>];
}

/** The facets of `app.bsky.richtext.facet`, whose positions count UTF-8 bytes. Unknown handles stay text. */
export function buildFacets(text: string, didByHandle: Readonly<Record<string, string>>): Facet[] {
  return findBlueskyFeatures(text).flatMap((feature) => {
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
