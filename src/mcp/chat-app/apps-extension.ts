import { toRecord } from "../protocol/client-capabilities.ts";

/** MCP Apps (SEP-1865), protocol version 2026-01-26. */
export const appsExtension = "io.modelcontextprotocol/ui";
export const chatAppUri = "ui://atelier/post";
export const chatAppMimeType = "text/html;profile=mcp-app";

/** Whether these client capabilities include in-chat apps in the format that we serve. */
export function declaresApps(capabilities: unknown): boolean {
  const extension = toRecord(toRecord(capabilities)["extensions"])[appsExtension];
  if (typeof extension !== "object" || extension === null) return false;
  const { mimeTypes } = extension as { mimeTypes?: unknown };
  return !Array.isArray(mimeTypes) || mimeTypes.includes(chatAppMimeType);
}
