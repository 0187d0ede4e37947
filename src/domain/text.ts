import { z } from "zod";

/** Text as both engines can keep it: no NUL, no half of a surrogate pair. */
export const text = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes("\0") && value.isWellFormed(), "text with characters that cannot be stored");

/** A name or title: one line, something visible in it. */
export const line = (max: number): z.ZodString =>
  text(max)
    .trim()
    .min(1)
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), "one line of text")
    .refine((value) => value === "" || /[^\p{Cf}\p{Z}\p{M}]/u.test(value), "text that can be seen");

/** Ids are plain strings to the schema: one that cannot exist is not found, not invalid. */
export const id = z.string();
