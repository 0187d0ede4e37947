import type { PostOptions } from "#portable/post-options.ts";

/** The options and follow-ups of an account as a text, so that they can be shown and compared. Empty without any. */
export function formatExtras({
  options = {},
  followUps = [],
}: {
  options?: PostOptions | undefined;
  followUps?: readonly string[] | undefined;
}): string {
  return [
    ...Object.entries(options).map(([name, value]) => `${toLabel(name)}: ${formatValue(value)}`),
    ...followUps.map((text, i) => `Part ${i + 2}:\n${text}`),
  ].join("\n\n");
}

/** "contentWarning" reads "Content warning". */
const toLabel = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const formatValue = (value: PostOptions[string]): string => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(", ") : value;
};
