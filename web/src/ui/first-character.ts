const segmenter = new Intl.Segmenter();

/** The first character as users see it, in upper case: an emoji or a letter with an accent may be several code points. */
export const getFirstCharacter = (text: string): string =>
  segmenter.segment(text.trim()).containing(0)?.segment.toUpperCase() ?? "";
