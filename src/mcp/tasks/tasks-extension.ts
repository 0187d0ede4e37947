import { MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import { readClientCapabilities, toRecord } from "../protocol/client-capabilities.ts";
import type { Exchange } from "../protocol/method.ts";

/** SEP-2663, https://modelcontextprotocol.io/seps/2663-tasks-extension, read 2026-11-16. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

export const supportsTasks = ({ era, params }: Pick<Exchange, "era" | "params">): boolean =>
  era === "modern" && tasksExtension in toRecord(readClientCapabilities(params)["extensions"]);

export function requireTasks(exchange: Pick<Exchange, "era" | "params">): void {
  if (supportsTasks(exchange)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}
