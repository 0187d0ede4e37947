import { countText, linkPattern, type TextLimit } from "./count-text.ts";

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
const words = new Intl.Segmenter("en", { granularity: "word" });

/** Splits a text into parts that fit the limit, at the ends of sentences, or within a longer one at the ends of words. */
export function splitThread(text: string, limit: TextLimit, maxParts: number): string[] {
  const parts: string[] = [];
  let part = "";
  const fits = (more: string): boolean => countText((part + more).trim(), limit) <= limit.max;
  function add(segment: string, splitFurther?: (segment: string) => void): void {
    if (parts.length === maxParts - 1 || fits(segment)) part += segment;
    else if (splitFurther && countText(segment.trim(), limit) > limit.max) splitFurther(segment);
    else {
      if (part.trim() !== "") parts.push(part.trim());
      part = segment;
    }
  }
  for (const segment of listSegments(text, sentences))
    add(segment, (sentence) => {
      for (const word of listSegments(sentence, words)) add(word);
    });
  return [...parts, part.trim()].filter((each) => each !== "");
}

/** The segments of a text. A link is never divided, although it has the punctuation of sentences. */
function* listSegments(text: string, segmenter: Intl.Segmenter): Generator<string> {
  const links = text.matchAll(linkPattern);
  let link = links.next().value;
  let start = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    const end = index + segment.length;
    while (link && link.index + link[0].length <= end) link = links.next().value;
    if (link && link.index < end) continue;
    yield text.slice(start, end);
    start = end;
  }
}
