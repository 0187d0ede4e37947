import { countText } from "#portable/count-text.ts";
import type { Validation } from "../api/queries.ts";

/** How a platform counts the characters of a text, and how many it accepts. */
export type TextRule = NonNullable<Validation["text"]>;

export interface TextLength {
  /** "123 / 280", or "123 characters" without a rule. */
  label: string;
  /** By how many characters the text exceeds the maximum; 0 if it fits. */
  excess: number;
}

export const countCharacters = (text: string): number => countText(text, { unit: "graphemes", max: Infinity });

/** Measures a text as the platform counts it, or in graphemes if there is no rule. */
export function measureText(text: string, rule: TextRule | undefined): TextLength {
  if (!rule) {
    const count = countCharacters(text);
    return { label: `${count.toLocaleString("en")} ${count === 1 ? "character" : "characters"}`, excess: 0 };
  }
  const count = countText(text, rule);
  const label = `${count.toLocaleString("en")} / ${rule.max.toLocaleString("en")}`;
  return { label, excess: Math.max(count - rule.max, 0) };
}
