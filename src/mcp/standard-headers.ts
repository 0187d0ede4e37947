import type { RequestId } from "@modelcontextprotocol/server";
import { errorCodes, reject, type Rejection, type WireHeaders } from "./messages.ts";

/** Which field of a request the Mcp-Name header repeats (2026-07-28, streamable HTTP, standard request headers). */
export const nameSource: ReadonlyMap<string, string> = new Map([
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
  const mismatch = (header: string, body: string) =>
    reject(400, errorCodes.headerMismatch, `Bad Request: the request headers and body disagree: ${body}`, id, {
      mismatch: { header, body },
    });

  if (headers.protocolVersionHeader === undefined)
    return mismatch(
      "(missing)",
      "the body names a protocol version but the required MCP-Protocol-Version header is absent",
    );
  if (headers.mcpMethodHeader === undefined)
    return mismatch("(missing)", `the body names method ${method} but the required Mcp-Method header is absent`);
  const field = nameSource.get(method);
  const named = field === undefined ? undefined : (params as Record<string, unknown> | undefined)?.[field];
  if (typeof named !== "string") return undefined;
  if (headers.mcpNameHeader === undefined)
    return mismatch("(missing)", `the body carries params.${field} but the required Mcp-Name header is absent`);
  const given = decode(headers.mcpNameHeader.trim());
  if (given === undefined)
    return mismatch(headers.mcpNameHeader, "the Mcp-Name header carries an invalid Base64 value");
  return given === named
    ? undefined
    : mismatch(headers.mcpNameHeader, `the body carries params.${field} with another value than the Mcp-Name header`);
}

/** `=?base64?…?=` carries what a header cannot (2026-07-28, value encoding). */
function decode(value: string): string | undefined {
  const coded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (coded === undefined) return value;
  const bytes = Buffer.from(coded, "base64");
  return bytes.toString("base64") === coded ? bytes.toString() : undefined;
}
