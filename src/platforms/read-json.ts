import type { JsonObject } from "./platform.ts";

/** For reading answers of a platform without trusting their shape: what is not as expected reads as nothing. */

export function toObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function toObjectList(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Text that is not empty; a number as text, since some platforms spell ids that way. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The same, where nothing goes on without it. */
export function requireText(value: unknown, fieldName: string): string {
  const text = toText(value);
  if (text === undefined) throw new Error(`the answer has no ${fieldName}`);
  return text;
}
