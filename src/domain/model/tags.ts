import { z } from "zod";
import { singleLine } from "./text.ts";

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

export const tagsView = z.array(z.string());
