const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Counts graphemes, so that an emoji is one character; code units in very long texts, which is faster. */
export function countCharacters(text: string): number {
  return text.length > 10_000 ? text.length : Array.from(graphemes.segment(text)).length;
}
