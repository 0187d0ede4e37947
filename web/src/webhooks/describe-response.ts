import type { Delivery } from "../api/webhook-queries.ts";

const failures: Record<Exclude<NonNullable<Delivery["error"]>, "status">, string> = {
  blocked: "The URL leads to a private host",
  unreachable: "The endpoint couldn’t be reached or didn’t respond in time",
  secret_lost: "The server can’t read the secret any more: replace it",
};

/** What came of the last attempt. */
export function describeResponse({ status, error }: Pick<Delivery, "status" | "error">): string {
  if (error === null || error === "status")
    return status === null ? "Not sent yet" : `The endpoint responded ${status}`;
  return failures[error];
}
