import type { IncomingMessage } from "node:http";
import type { MirroredHeaders } from "../protocol/messages.ts";

/** Joins the values of a repeated header with commas. */
export function getHeader(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

export const readMirroredHeaders = (req: IncomingMessage): MirroredHeaders => ({
  protocolVersionHeader: getHeader(req, "mcp-protocol-version"),
  mcpMethodHeader: getHeader(req, "mcp-method"),
  mcpNameHeader: getHeader(req, "mcp-name"),
});
