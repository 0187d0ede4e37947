import type { z } from "zod";

const shownIssues = 5;

/** What is wrong with an input, for the person or model that made it: the field, and what was expected of it. */
export function readableIssues(error: z.ZodError): string {
  const shown = error.issues.slice(0, shownIssues).map((issue) => {
    const field = issue.path.map(String).join(".").slice(0, 100);
    return field === "" ? describe(issue) : `${field}: ${describe(issue)}`;
  });
  const more = error.issues.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kinds[issue.expected] ?? issue.expected}${issue.message.endsWith("received undefined") ? ", but it is missing" : ""}`;
    case "invalid_value":
      return `expected ${listed(issue.values.map(String))}`;
    case "too_small":
      return `expected ${amount("at least", issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected ${amount("at most", issue.maximum, issue.origin)}`;
    case "invalid_format":
      return `expected ${formats[issue.format] ?? issue.format}`;
    case "unrecognized_keys":
      return `expected no field called ${listed(issue.keys.slice(0, shownIssues).map((key) => key.slice(0, 50)))}`;
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      break;
  }
  return `expected ${issue.message.replace(/^Invalid input(: expected )?/, "") || "something else"}`;
}

const kinds: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

const formats: Record<string, string> = { email: "an email address", url: "an address", regex: "another form" };

function amount(bound: string, limit: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} ${limit} ${limit === 1 ? "character" : "characters"}`;
  return origin === "array" ? `${bound} ${limit} of them` : `${bound} ${limit}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
