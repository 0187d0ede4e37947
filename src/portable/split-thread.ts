import { countText, type TextLimit } from "./count-text.ts";

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
  for (const { segment } of sentences.segment(text))
    add(segment, (sentence) => {
      for (const word of words.segment(sentence)) add(word.segment);
    });
  return [...parts, part.trim()].filter((each) => each !== "");
}
