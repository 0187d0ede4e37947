import { formatCsv } from "#portable/csv.ts";
import type { ComparedPost } from "../api/planning-queries.ts";
import { getReasonLabel, incomparableLabels } from "./result-labels.ts";

/** The table as it is shown: an empty cell is a number that is not known, and the last column says why. */
export function formatResultsCsv(
  posts: readonly ComparedPost[],
  sources: Readonly<Record<string, string | null>>,
): string {
  const names = Object.keys(sources);
  const header = ["Title", "Published", "Read", "URL", "Tags"];
  return formatCsv([
    [...header, ...names.map((name) => (sources[name] ? `${name} (${sources[name]})` : name)), "Not available"],
    ...posts.map((post) => [
      post.title,
      post.publishedAt,
      post.readAt,
      post.url,
      post.tags.join(" "),
      ...names.map((name) => post.metrics[name] ?? null),
      post.reason
        ? incomparableLabels[post.reason]
        : names
            .filter((name) => typeof post.metrics[name] !== "number")
            .map((name) => `${name}: ${getReasonLabel(post, name)}`)
            .join("; "),
    ]),
  ]);
}

/** Offers a text as a download. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
