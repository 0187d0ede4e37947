/** What a platform takes in one post, as data. A bound that its documentation does not name is left out, never guessed. */
export interface PostLimits {
  text: TextLimit;
  /** For platforms that show a title of their own; the post's title is sent as such. */
  title?: TextLimit;
  /** How many files of all kinds one post must and may carry. */
  files?: { min?: number; max?: number };
  /** Absent: this kind of file cannot be posted there. */
  images?: ImageLimit;
  videos?: VideoLimit;
  documents?: MediaLimit;
  /** Whether pictures and videos may stand in one post. */
  mixed: boolean;
  /** Absent: the platform takes no alternative text. */
  altText?: { maxLength?: number };
  /** The people who run an instance may have set other bounds: what exceeds these is a warning. */
  setByInstance?: boolean;
}

export interface TextLimit {
  max: number;
  /**
   * What one character is there: a Unicode code point, a UTF-16 unit, what a reader sees as one (grapheme), a byte of
   * UTF-8, or X's weighing, where most scripts beyond the Latin ones and every emoji count twice.
   */
  countedIn: "codePoints" | "utf16" | "graphemes" | "bytes" | "weighted";
  /** Every link counts as so many, however long it is. */
  linkLength?: number;
  /** Nothing can be posted without it. */
  required?: boolean;
}

export interface MediaLimit {
  /** How many of this kind in one post. */
  max: number;
  /** MIME types. */
  types: readonly string[];
  maxBytes?: number;
}

export interface ImageLimit extends MediaLimit {
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

/** The page an entry was written from, and the day it was read (`2026-11-15`). */
export interface Source {
  url: string;
  readOn: string;
}
