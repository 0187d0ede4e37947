/** Text needs its own check: to a sniffer of signatures everything that is text is nothing. */

export const isTextType = (mimeType: string): boolean => mimeType.startsWith("text/");

/** What never passes as text, by how it begins. */
const textFormats: readonly [RegExp, string][] = [
  [/^#!/, "a script"],
  [/^#EXTM3U/i, "a playlist"],
  [/^ffconcat\b/i, "a playlist"],
  [/^\[playlist\]/i, "a playlist"],
  [/^%PDF-/, "application/pdf"],
  [/^%!PS/, "application/postscript"],
  [/^\{\\rtf/, "application/rtf"],
];

/** Markup that a browser or a viewer would run or render by itself. Markdown may hold other tags. */
const activeMarkup = /^<(?:!doctype|html|head|body|svg|script|iframe|object|embed|\?xml|math|xsl:)/i;
/** Any tag, instruction or comment of XML: what declares itself as a picture has no business beginning with one. */
const anyTagPattern = /^<[\p{L}_:?!]/u;

/** What the beginning of a file declared as text is instead; undefined where it may be text. */
export function detectNonText(head: Uint8Array): string | undefined {
  const text = decodeHead(head);
  if (text === undefined) return undefined;
  const start = skipWhitespace(text);
  return textFormats.find(([pattern]) => pattern.test(start))?.[1] ?? findMarkup(head, "active");
}

/** `markup`, where a file begins with it, after blanks, byte order marks and comments, in any encoding of Unicode. */
export function findMarkup(head: Uint8Array, scope: "active" | "any"): string | undefined {
  const text = decodeHead(head);
  if (text === undefined) return undefined;
  const start = skipWhitespace(text);
  if (scope === "any" && (anyTagPattern.test(start) || textFormats.some(([pattern]) => pattern.test(start))))
    return "text or markup";
  return activeMarkup.test(skipComments(start)) ? "markup" : undefined;
}

/** How far into a file its beginning can be pushed by comments. */
const maxComments = 1000;

function skipComments(text: string): string {
  let rest = text;
  for (let i = 0; i < maxComments && rest.startsWith("<!--"); i++) {
    const end = rest.indexOf("-->", 4);
    // A comment that goes past what we see hides what comes, and so do too many: markup is all it can be hiding.
    if (end < 0) return "<html";
    rest = skipWhitespace(rest.slice(end + 3));
  }
  return rest.startsWith("<!--") ? "<html" : rest;
}

const skipWhitespace = (text: string): string => text.replace(/^[\s\u0000\ufeff\u00a0]+/, "");

/** The head as text, or undefined where it is none: bytes that no text has. */
function decodeHead(head: Uint8Array): string | undefined {
  const encoding = detectEncoding(head);
  // A few stray bytes do not stop a browser from reading markup, so they do not stop us.
  if (encoding === "utf-8" && looksBinary(new TextDecoder().decode(head.subarray(0, 512)))) return undefined;
  return new TextDecoder(encoding).decode(head);
}

/** Text through and through, as far as the head goes: no binary format has a head without control characters. */
export function isPlainText(head: Uint8Array): boolean {
  const encoding = detectEncoding(head);
  const text = new TextDecoder(encoding).decode(head, { stream: true }); // may end inside a character
  return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/.test(text);
}

function detectEncoding(head: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const [a, b] = head;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  // Without a mark: Latin letters in UTF-16 have a zero beside each.
  const pairs = Math.min(head.length >> 1, 64);
  let zeroFirst = 0;
  let zeroSecond = 0;
  for (let i = 0; i < pairs; i++) {
    if (head[2 * i] === 0 && head[2 * i + 1] !== 0) zeroFirst++;
    if (head[2 * i] !== 0 && head[2 * i + 1] === 0) zeroSecond++;
  }
  if (pairs >= 4 && zeroSecond > pairs * 0.7) return "utf-16le";
  return pairs >= 4 && zeroFirst > pairs * 0.7 ? "utf-16be" : "utf-8";
}

/** More than a tenth of it is what no text has: control characters, or bytes that are no UTF-8. */
function looksBinary(text: string): boolean {
  const controlCount = text.match(/[\u0001-\u0008\u000b\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  return controlCount > text.length / 10;
}
