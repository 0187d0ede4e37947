/**
 * The little text format of LinkedIn's `commentary`.
 *
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 * We read only the beginning of the page, in a stored copy of version 2024-11, on 2026-11-16: "All reserved characters
 * need to be escaped with a backslash, even if those characters are not used in one of the supported elements or
 * templates." The grammar and the list of characters are from quotations in public repositories.
 *
 * LinkedIn does not document what happens to characters that are not escaped. Users report that it accepts the request
 * and cuts the text at the first character that it can't parse, so this parser does the same:
 * https://github.com/apoorvdarshan/crossposter/releases/tag/v1.1.5, https://github.com/ComposioHQ/composio/issues/2710
 *
 * Mentions and hashtag templates are left out, because our client sends none. They cut the text too.
 */
export interface RenderedText {
  /** What readers see. */
  text: string;
  hashtags: string[];
}

const reserved = String.raw`|{}@[\]()<>#\\*_~`;
const plainText = new RegExp(`[^${reserved}]+`, "y");
const escapedCharacter = new RegExp(String.raw`\\([${reserved}])`, "y");
const hashtag = /#([\p{L}\p{N}]+)/uy;

export function renderLittleText(commentary: string): RenderedText {
  const rendered: RenderedText = { text: "", hashtags: [] };
  let offset = 0;
  while (offset < commentary.length) {
    const length = renderElement(commentary, offset, rendered);
    if (length === 0) break;
    offset += length;
  }
  return rendered;
}

/** Appends the element at the offset and returns its length, or 0 if the text doesn't follow the grammar there. */
function renderElement(commentary: string, offset: number, rendered: RenderedText): number {
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = offset;
    return pattern.exec(commentary);
  };
  const plain = match(plainText);
  if (plain) {
    rendered.text += plain[0];
    return plain[0].length;
  }
  const escaped = match(escapedCharacter);
  if (escaped) {
    rendered.text += escaped[1]!;
    return escaped[0].length;
  }
  const tag = match(hashtag);
  if (tag) {
    rendered.text += tag[0];
    rendered.hashtags.push(tag[1]!);
    return tag[0].length;
  }
  return 0;
}
