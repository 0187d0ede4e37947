/** Text has no signature that the file-type library could detect, so it needs its own check. */

export const isTextType = (mimeType: string): boolean => mimeType.startsWith("text/");

/** Text formats that are rejected, recognized by how the file starts. */
const rejectedTextFormats: readonly [RegExp, string][] = [
  [/^#!/, "a script"],
  [/^#EXTM3U/i, "a playlist"],
  [/^ffconcat\b/i, "a playlist"],
  [/^\[playlist\]/i, "a playlist"],
  [/^%PDF-/, "application/pdf"],
  [/^%!PS/, "application/postscript"],
  [/^\{\\rtf/, "application/rtf"],
];

/** Markup that a browser or viewer would run or render. Other tags are allowed, because Markdown may contain them. */
const activeMarkupPattern = /^<(?:!doctype|html|head|body|svg|script|iframe|object|embed|\?xml|math|xsl:)/i;
/** Any XML tag, instruction or comment; no accepted binary format starts with one. */
const anyTagPattern = /^<[\p{L}_:?!]/u;

/** Describes text that is rejected; undefined for other text and for binary content. */
export function detectRejectedText(head: Uint8Array): string | undefined {
  const text = decodeHead(head);
  if (text === undefined) return undefined;
  const start = skipWhitespace(text);
  return rejectedTextFormats.find(([pattern]) => pattern.test(start))?.[1] ?? detectMarkup(head, "active");
}

/**
 * Describes markup at the start of a file, after whitespace, byte order marks and comments, in UTF-8 or UTF-16;
 * undefined if there is none. The scope `any` includes every tag and `rejectedTextFormats`.
 */
export function detectMarkup(head: Uint8Array, scope: "active" | "any"): string | undefined {
  const text = decodeHead(head);
  if (text === undefined) return undefined;
  const start = skipWhitespace(text);
  if (scope === "any" && (anyTagPattern.test(start) || rejectedTextFormats.some(([pattern]) => pattern.test(start))))
    return "text or markup";
  return activeMarkupPattern.test(skipComments(start)) ? "markup" : undefined;
}

const maxComments = 1000;

function skipComments(text: string): string {
  let rest = text;
  for (let i = 0; i < maxComments && rest.startsWith("<!--"); i++) {
    const end = rest.indexOf("-->", 4);
    // A comment without an end in the head, or too many comments, may hide markup: treat the file as markup.
    if (end < 0) return "<html";
    rest = skipWhitespace(rest.slice(end + 3));
  }
  return rest.startsWith("<!--") ? "<html" : rest;
}

const skipWhitespace = (text: string): string => text.replace(/^[\s\u0000\ufeff\u00a0]+/, "");

/** Decodes the head; undefined if it looks binary. */
function decodeHead(head: Uint8Array): string | undefined {
  const encoding = detectEncoding(head);
  // Browsers read markup despite a few invalid bytes, so tolerate them here too.
  if (encoding === "utf-8" && looksBinary(new TextDecoder().decode(head.subarray(0, 512)))) return undefined;
  return new TextDecoder(encoding).decode(head);
}

/** Whether the head has no control or invalid characters. Every binary format has some of them in its head. */
export function isPlainText(head: Uint8Array): boolean {
  const encoding = detectEncoding(head);
  const text = new TextDecoder(encoding).decode(head, { stream: true }); // may end inside a character
  return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/.test(text);
}

function detectEncoding(head: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  // Without a byte order mark, UTF-16 shows in Latin text, where every second byte is zero.
  const pairCount = Math.min(head.length >> 1, 64);
  let zeroFirstCount = 0;
  let zeroSecondCount = 0;
  for (let i = 0; i < pairCount; i++) {
    if (head[2 * i] === 0 && head[2 * i + 1] !== 0) zeroFirstCount++;
    if (head[2 * i] !== 0 && head[2 * i + 1] === 0) zeroSecondCount++;
  }
  if (pairCount >= 4 && zeroSecondCount > pairCount * 0.7) return "utf-16le";
  return pairCount >= 4 && zeroFirstCount > pairCount * 0.7 ? "utf-16be" : "utf-8";
}

/** Whether more than a tenth of the text is control characters or invalid UTF-8. */
function looksBinary(text: string): boolean {
  const controlCount = text.match(/[\u0001-\u0008\u000b\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  return controlCount > text.length / 10;
}
