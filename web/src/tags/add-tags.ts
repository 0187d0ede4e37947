/** The limits of the server, which checks them again. */
export const maxTags = 20;
const maxTagLength = 40;

interface AddTagsResult {
  /** In lower case, without tags that the list already has. */
  addedTags: string[];
  /** What the user has to shorten or remove. */
  rejectedTexts: string[];
  error: string;
}

/** Splits typed or pasted text at commas. */
export function addTags(tags: readonly string[], text: string): AddTagsResult {
  const result: AddTagsResult = { addedTags: [], rejectedTexts: [], error: "" };
  for (const part of text.split(",")) {
    const tag = part.trim().toLowerCase();
    if (tag === "" || tags.includes(tag) || result.addedTags.includes(tag)) continue;
    const error = findError(tag, tags.length + result.addedTags.length);
    if (error === "") result.addedTags.push(tag);
    else {
      result.rejectedTexts.push(part.trim());
      result.error = error;
    }
  }
  return result;
}

function findError(tag: string, count: number): string {
  // In code points, as the server counts.
  if (Array.from(tag).length > maxTagLength) return `This tag is too long. Use at most ${maxTagLength} characters.`;
  // The same characters as the server: a tag needs one that is visible.
  if (/\p{Cc}/u.test(tag) || !/[^\p{Cf}\p{Z}\p{M}]/u.test(tag))
    return "Use letters, digits or other visible characters.";
  return count < maxTags ? "" : `At most ${maxTags} tags. Remove one first.`;
}
