import type { z } from "zod";

const maxShownIssues = 5;

/** Describes validation errors for users, models and operators: each field and what was expected. */
export function formatIssues(error: z.ZodError): string {
  const lines = error.issues.slice(0, maxShownIssues).map(formatIssue);
  const hiddenCount = error.issues.length - lines.length;
  return `${lines.join("; ")}${hiddenCount > 0 ? `; and ${hiddenCount} more` : ""}.`;
}

/** One validation error: `<field>: expected <what>`. The message of a custom check completes the sentence. */
export function formatIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join(".").slice(0, 100);
  return field === "" ? describeIssue(issue) : `${field}: ${describeIssue(issue)}`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${typeLabels[issue.expected] ?? issue.expected}${issue.message.endsWith("received undefined") ? ", but it is missing" : ""}`;
    case "invalid_value":
      return `expected ${joinWithOr(issue.values.map(String))}`;
    case "too_small":
      return `expected ${formatBound("at least", issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected ${formatBound("at most", issue.maximum, issue.origin)}`;
    case "invalid_format":
      return `expected ${formatLabels[issue.format] ?? issue.format}`;
    case "unrecognized_keys":
      return `expected no field called ${joinWithOr(issue.keys.slice(0, maxShownIssues).map((key) => key.slice(0, 50)))}`;
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      break;
  }
  return `expected ${issue.message.replace(/^Invalid input(: expected )?/, "") || "a different value"}`;
}

const typeLabels: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

const formatLabels: Record<string, string> = { email: "a valid email", url: "a URL", regex: "a different format" };

function formatBound(bound: string, limit: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} ${limit} ${limit === 1 ? "character" : "characters"}`;
  return origin === "array" ? `${bound} ${limit} ${limit === 1 ? "item" : "items"}` : `${bound} ${limit}`;
}

function joinWithOr(labels: readonly string[]): string {
  return labels.length < 2 ? (labels[0] ?? "") : `${labels.slice(0, -1).join(", ")} or ${labels.at(-1)}`;
}
