let segmenter: Intl.Segmenter | undefined;

/** A first character that can't combine with the next one. Most names need no segmenter, which is slow to create. */
const plainStart = /^\w(?:\w|\s|$)/;

/** The first character as users see it, in upper case: an emoji or a letter with an accent may be several code points. */
export function getFirstCharacter(text: string): string {
  const trimmedText = text.trim();
  if (plainStart.test(trimmedText)) return trimmedText.charAt(0).toUpperCase();
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(trimmedText).containing(0)?.segment.toUpperCase() ?? "";
}
