import { CLIENT_CAPABILITIES_META_KEY, MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import type { Exchange } from "../protocol/method.ts";

/** SEP-2663, https://modelcontextprotocol.io/seps/2663-tasks-extension, read 2026-11-16. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Clients declare the extension with every request. */
export function supportsTasks({ era, params }: Pick<Exchange, "era" | "params">): boolean {
  if (era !== "modern") return false;
  const capabilities = toRecord(toRecord(params["_meta"])[CLIENT_CAPABILITIES_META_KEY]);
  return tasksExtension in toRecord(capabilities["extensions"]);
}

export function requireTasks(exchange: Pick<Exchange, "era" | "params">): void {
  if (supportsTasks(exchange)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
