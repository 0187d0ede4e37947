import type { JsonObject } from "./platform.ts";

/** For reading answers of a platform without trusting their shape: what is not as expected reads as nothing. */

export function objectIn(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

/** Text that is not empty; a number as text, since some platforms spell ids that way. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The same, where nothing goes on without it. */
export function demand(value: unknown, what: string): string {
  const text = textIn(value);
  if (text === undefined) throw new Error(`the answer has no ${what}`);
  return text;
}
