/** The limits of the server, which checks them again. */
export const maxTags = 20;
const maxTagLength = 40;

interface ParsedTags {
  /** In lower case, without `existingTags`. */
  addedTags: string[];
  /** The parts that the user has to shorten or remove. */
  rejectedTexts: string[];
  error: string;
}

/** Splits typed or pasted text at commas into tags that can be added to the existing ones. */
export function parseNewTags(existingTags: readonly string[], text: string): ParsedTags {
  const result: ParsedTags = { addedTags: [], rejectedTexts: [], error: "" };
  for (const part of text.split(",")) {
    const tag = part.trim().toLowerCase();
    if (tag === "" || existingTags.includes(tag) || result.addedTags.includes(tag)) continue;
    const error = findError(tag, existingTags.length + result.addedTags.length);
    if (error === "") result.addedTags.push(tag);
    else {
      result.rejectedTexts.push(part.trim());
      result.error = error;
    }
  }
  return result;
}

function findError(tag: string, tagCount: number): string {
  // In code points, as the server counts.
  if (Array.from(tag).length > maxTagLength) return `This tag is too long. Use at most ${maxTagLength} characters.`;
  // Like the server: no control characters, and at least one visible character.
  if (/\p{Cc}/u.test(tag) || !/[^\p{Cf}\p{Z}\p{M}]/u.test(tag))
    return "Use letters, digits or other visible characters.";
  return tagCount < maxTags ? "" : `At most ${maxTags} tags. Remove one first.`;
}
