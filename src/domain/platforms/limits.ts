/** What a platform takes in one post, as data. A bound that its documentation does not name is left out, never guessed. */
export interface PostLimits {
  text?: TextLimit;
  /** For platforms that show a title of their own; the post's title is sent as such. */
  title?: TextLimit;
  /** How many files of all kinds one post must and may carry. */
  files?: { min?: number; max?: number };
  /** Absent: this kind of file cannot be posted there. */
  images?: ImageLimit;
  videos?: VideoLimit;
  documents?: MediaLimit;
  /** Whether different kinds of files may stand in one post. */
  allowsMixedKinds: boolean;
  /** Absent: the platform takes no alternative text. */
  altText?: { maxLength?: number };
  /** The people who run an instance may have set other bounds: what exceeds these is a warning. */
  variesByInstance?: boolean;
  /** The pages these bounds stand on, the one that says most first. */
  sources: Sources;
}

export interface TextLimit {
  max: number;
  /**
   * What one character is there: a Unicode code point, a UTF-16 unit, what a reader sees as one (grapheme), a byte of
   * UTF-8, a code point but an emoji by its bytes (Threads), or X's weighing, where most scripts beyond the Latin ones
   * and every emoji count twice.
   */
  unit: "codePoints" | "utf16" | "graphemes" | "bytes" | "emojiBytes" | "weighted";
  /** Every link counts as so many, however long it is. */
  linkLength?: number;
  /** Nothing can be posted without it. */
  isRequired?: boolean;
}

export interface MediaLimit {
  /** How many of this kind in one post. */
  max?: number;
  /** MIME types, of those that Atelier takes. */
  types: readonly string[];
  /** Where a page says only MB, that is read as a million bytes: the smaller reading is the one that holds. */
  maxBytes?: number;
  /** For types whose ceiling differs from `maxBytes`. */
  maxBytesByType?: Readonly<Record<string, number>>;
  /** Where a post with this kind of file has bounds of its own for what is written. */
  text?: TextLimit;
  title?: TextLimit;
}

export interface ImageLimit extends MediaLimit {
  /** Width times height. */
  maxPixels?: number;
  minWidth?: number;
  maxWidth?: number;
  minHeight?: number;
  maxHeight?: number;
  /** Width divided by height. */
  minAspect?: number;
  maxAspect?: number;
}

export interface VideoLimit extends ImageLimit {
  minDurationMs?: number;
  maxDurationMs?: number;
}

export type Sources = readonly [Source, ...Source[]];

/** A page that an entry was written from. */
export interface Source {
  url: string;
  /** The day we read it (`2026-11-15`). */
  readOn: string;
  /** The day the copy we read bears, where it bears one: it may be older than the day of reading. */
  dated?: string;
}
