import type { RequestId } from "@modelcontextprotocol/server";
import { errorCodes, createRejection, type Rejection, type WireHeaders } from "./messages.ts";

/** Which field of a request the Mcp-Name header repeats (2026-07-28, streamable HTTP, standard request headers). */
export const nameFieldByMethod: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** The half of the header rules that the SDK keeps to its own handler: that they are there, and that the name agrees. */
export function checkStandardHeaders(
  method: string,
  params: unknown,
  headers: WireHeaders,
  id: RequestId | null,
): Rejection | undefined {
  const createMismatch = (header: string, body: string) =>
    createRejection(400, errorCodes.headerMismatch, `Bad Request: the request headers and body disagree: ${body}`, id, {
      mismatch: { header, body },
    });

  if (headers.protocolVersionHeader === undefined)
    return createMismatch(
      "(missing)",
      "the body names a protocol version but the required MCP-Protocol-Version header is absent",
    );
  if (headers.mcpMethodHeader === undefined)
    return createMismatch("(missing)", `the body names method ${method} but the required Mcp-Method header is absent`);
  const field = nameFieldByMethod.get(method);
  const expectedName = field === undefined ? undefined : (params as Record<string, unknown> | undefined)?.[field];
  if (typeof expectedName !== "string") return undefined;
  if (headers.mcpNameHeader === undefined)
    return createMismatch("(missing)", `the body carries params.${field} but the required Mcp-Name header is absent`);
  const headerName = decodeHeaderValue(headers.mcpNameHeader.trim());
  if (headerName === undefined)
    return createMismatch(headers.mcpNameHeader, "the Mcp-Name header carries an invalid Base64 value");
  return headerName === expectedName
    ? undefined
    : createMismatch(
        headers.mcpNameHeader,
        `the body carries params.${field} with another value than the Mcp-Name header`,
      );
}

/** `=?base64?…?=` carries what a header cannot (2026-07-28, value encoding). */
function decodeHeaderValue(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString() : undefined;
}
