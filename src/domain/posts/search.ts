/** Maximum length of folded text. One character can fold to eighteen (U+FDFA); the rest of the text is not searched. */
const maxFoldedLength = { query: 200, text: 200_000 };

/** Text is folded in pieces of this length, so that the work ends soon after the maximum is reached. */
const pieceLength = 4096;

/**
 * Text as search compares it: without case, accents, the end form of sigma and runs of space.
 * The same on both engines, because it is done here.
 */
export function normalizeForSearch(value: string, kind: keyof typeof maxFoldedLength): string {
  const maxLength = maxFoldedLength[kind];
  let normalized = "";
  for (let start = 0; start < value.length && normalized.length < maxLength;) {
    const end = endOfPiece(value, start + pieceLength);
    const piece = foldPiece(value.slice(start, end));
    normalized += normalized === "" || normalized.endsWith(" ") ? piece.trimStart() : piece;
    start = end;
  }
  return normalized.slice(0, endBefore(normalized, maxLength)).trimEnd();
}

function foldPiece(piece: string): string {
  return (
    piece
      // Marks go first, too: normalization sorts a run of them in quadratic time.
      .replace(/\p{M}+/gu, "")
      .normalize("NFKD")
      .replace(/\p{M}+/gu, "")
      .toLowerCase()
      .replace(/ς/g, "σ")
      .replace(/\s+/g, " ")
  );
}

/** `end`, or one more where it would split a surrogate pair. */
const endOfPiece = (text: string, end: number): number => (splitsPair(text, end) ? end + 1 : end);

/** `end`, or one less where it would split a surrogate pair. */
const endBefore = (text: string, end: number): number => (splitsPair(text, end) ? end - 1 : end);

function splitsPair(text: string, end: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length;
}
