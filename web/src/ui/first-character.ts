let segmenter: Intl.Segmenter | undefined;

/** Such a first character never combines with the next one. Most names have one, and creating a segmenter is slow. */
const startsWithPlainCharacter = /^\w(?:\w|\s|$)/;

/** The first character as users see it, in upper case: an emoji or a letter with an accent may be several code points. */
export function getFirstCharacter(text: string): string {
  const trimmedText = text.trim();
  if (startsWithPlainCharacter.test(trimmedText)) return trimmedText.charAt(0).toUpperCase();
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(trimmedText).containing(0)?.segment.toUpperCase() ?? "";
}
