import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
} from "@modelcontextprotocol/server";
import {
  createRejection,
  errorCodes,
  isLegacyVersion,
  modernVersion,
  type Rejection,
  type RequestMessage,
  type MirroredHeaders,
} from "./messages.ts";

/** The request field that the Mcp-Name header mirrors (MCP spec 2026-07-28, Standard Request Headers). */
const nameFieldByMethod: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  // Tasks extension, routing headers.
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** Header rules that the SDK's classifier does not check: required headers are present and Mcp-Name matches. */
export function checkStandardHeaders(
  method: string,
  params: unknown,
  headers: MirroredHeaders,
  id: RequestId | null,
): Rejection | undefined {
  const createMismatch = (headerValue: string, explanation: string) =>
    createHeaderMismatch(id, { headerValue, explanation });

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
        `the body carries params.${field} with a different value than the Mcp-Name header`,
      );
}

export interface HeaderMismatch {
  headerValue: string;
  explanation: string;
}

export function createHeaderMismatch(id: RequestId | null, { headerValue, explanation }: HeaderMismatch): Rejection {
  const message = `Bad Request: the request headers and body disagree: ${explanation}`;
  // The SDK uses the same member names.
  const mismatch = { header: headerValue, body: explanation };
  return createRejection(400, errorCodes.headerMismatch, message, id, { mismatch });
}

/** Decodes `=?base64?…?=` values (MCP spec 2026-07-28, Value Encoding); undefined if the Base64 is invalid. */
export function decodeHeaderValue(value: string): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 ? bytes.toString() : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Members of `_meta` with their own rules; requests that use them go to the SDK's classifier. */
const logLevelKey = "io.modelcontextprotocol/logLevel";
const relatedTaskKey = "io.modelcontextprotocol/related-task";

/**
 * Recognizes the most common requests at a fraction of the cost of the SDK's classifier. Matches only requests that the
 * classifier accepts with the same result; undefined means that the classifier decides.
 * `test/integration/mcp-fast-path.test.ts` compares the two.
 */
export function matchFastPath(body: unknown, headers: MirroredHeaders): RequestMessage | undefined {
  if (!isJsonObject(body) || body["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params = {} } = body;
  if (typeof method !== "string" || !isRequestId(id) || !isJsonObject(params)) return undefined;
  for (const key in body)
    if (key !== "jsonrpc" && key !== "id" && key !== "method" && key !== "params") return undefined;
  const { _meta: meta = {} } = params;
  if (!isJsonObject(meta) || relatedTaskKey in meta) return undefined;
  if ("progressToken" in meta && !isRequestId(meta["progressToken"])) return undefined;

  const version = headers.protocolVersionHeader;
  if (version === modernVersion) {
    return isPlainModernRequest(method, params, meta, headers)
      ? { kind: "request", era: "modern", id, method, params }
      : undefined;
  }
  const isLegacy =
    method !== "initialize" &&
    !(PROTOCOL_VERSION_META_KEY in meta) &&
    (version === undefined || isLegacyVersion(version));
  return isLegacy ? { kind: "request", era: "legacy", id, method, params } : undefined;
}

/** Whether the headers match the body exactly and `_meta` has only common members. */
function isPlainModernRequest(method: string, params: JsonObject, meta: JsonObject, headers: MirroredHeaders): boolean {
  if (meta[PROTOCOL_VERSION_META_KEY] !== modernVersion || headers.mcpMethodHeader !== method || logLevelKey in meta)
    return false;
  const field = nameFieldByMethod.get(method);
  if (field !== undefined && (params[field] !== headers.mcpNameHeader || headers.mcpNameHeader?.startsWith("=?")))
    return false;
  return isPlainClientInfo(meta[CLIENT_INFO_META_KEY]) && arePlainCapabilities(meta[CLIENT_CAPABILITIES_META_KEY]);
}

function isPlainClientInfo(info: unknown): boolean {
  if (info === undefined) return true;
  if (!isJsonObject(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string") return false;
  for (const name in info)
    if (name !== "name" && name !== "version" && !(name === "title" && typeof info[name] === "string")) return false;
  return true;
}

/** Accepts only capabilities with empty members: `{"sampling":{}}`, `{"elicitation":{"form":{}}}`. */
function arePlainCapabilities(capabilities: unknown): boolean {
  if (!isJsonObject(capabilities)) return false;
  for (const name in capabilities) {
    const capability = capabilities[name];
    if (!isJsonObject(capability)) return false;
    for (const inner in capability) if (!isEmpty(capability[inner])) return false;
  }
  return true;
}

function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function isRequestId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
