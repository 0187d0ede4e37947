import type { ComparedPost, ResultSnapshot } from "../api/planning-queries.ts";

/** Why a number is not known. */
const reasonLabels: Readonly<Record<ResultSnapshot["reasons"][string], string>> = {
  not_offered: "not offered",
  not_permitted: "not permitted",
  pending: "not yet",
  deleted: "post deleted",
  error: "not readable",
};

export const getReasonLabel = ({ reasons }: Pick<ResultSnapshot, "reasons">, name: string): string =>
  reasonLabels[reasons[name] ?? "not_offered"];

/** Why a post can't be compared with others. */
export const incomparableLabels: Readonly<Record<NonNullable<ComparedPost["reason"]>, string>> = {
  pending: "Not old enough yet",
  not_read: "Not read at this age",
  late: "Read too late to compare",
  other_definition: "Counted in another way",
};

/** "6 hours" */
export function formatAge(age: number): string {
  if (age < 24) return age === 1 ? "1 hour" : `${age} hours`;
  return age === 24 ? "1 day" : `${age / 24} days`;
}

export const periodLabels: readonly (readonly [days: string, label: string])[] = [
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
  ["365", "Last 12 months"],
];

/** "Likes" */
export const getMetricLabel = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
