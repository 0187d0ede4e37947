import { z } from "zod";

/** Text that SQLite and PostgreSQL both store: no NUL, no unpaired surrogates. */
export const text = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .refine(
      (value) => !value.includes("\0") && value.isWellFormed(),
      "text without NUL characters or unpaired surrogates",
    );

/** A name or title: one line with at least one visible character. */
export const singleLine = (max: number): z.ZodString =>
  text(max)
    .trim()
    .min(1)
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), "one line of text")
    .refine(
      (value) => value === "" || /[^\p{Cf}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value),
      "at least one visible character",
    );

const timeFormats = [null, -1].map((precision) => z.regexes.datetime({ offset: true, precision }));

/** A moment. ISO 8601 allows times without seconds, which clients send, although RFC 3339 (`date-time`) does not. */
export const isoTime = z
  .string()
  .refine(
    (value) => timeFormats.some((format) => format.test(value)),
    "a time with its offset, such as 2027-01-31T09:00Z",
  )
  .meta({ format: "date-time" });

/** Accepts any string, so that a malformed id fails with `not_found`, not `invalid_input`. */
export const id = z.string();

/** Trimmed and in lower case before its length is checked. */
const tag = z.string().trim().toLowerCase().pipe(singleLine(40));

export const tags = z
  .array(tag)
  // Before the tags are looked at: without it, a list of any length would be.
  .max(200)
  .overwrite((values) => [...new Set(values)])
  .max(20)
  .describe("Up to 20 tags of up to 40 characters; replaces the list.");

export const tagFilter = tag.optional();

export const fuzzyFilter = z.boolean().optional().describe("Also match words with one typo.");

export const tagsView = z.array(z.string());
