/** Letters, digits and underscores, with at least one letter. */
export const hashtagPattern = /(?<![\p{L}\p{M}\p{N}_&/])[#＃][\p{N}_]*[\p{L}\p{M}][\p{L}\p{M}\p{N}_]*/gu;
/** An Instagram username. An `@` after a letter or a period belongs to an email. */
export const instagramMentionPattern = /(?<![\w@.])@\w(?:[\w.]{0,28}\w)?/g;

/** In lower case, without the `#`. */
export const listHashtags = (text: string): string[] =>
  (text.match(hashtagPattern) ?? []).map((hashtag) => hashtag.slice(1).toLowerCase());

/** Counts repetitions too: Instagram's documentation does not exclude them. */
export const countHashtags = (text: string): number => text.match(hashtagPattern)?.length ?? 0;
export const countMentions = (text: string): number => text.match(instagramMentionPattern)?.length ?? 0;
