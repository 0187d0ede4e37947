import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { isLegacyRevision, modernRevision, type Request, type WireHeaders } from "./messages.ts";
import { nameSource } from "./standard-headers.ts";

type Fields = Record<string, unknown>;

/**
 * The requests that nearly all traffic is made of, told at a hundredth of the cost of the full check.
 * Says yes only to what the SDK's classifier accepts in the same sense; undefined leaves the verdict to it.
 * `test/integration/mcp-wire.test.ts` holds the two against each other.
 */
export function recognize(body: unknown, headers: WireHeaders): Request | undefined {
  if (!isFields(body) || body["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params } = body;
  if (typeof method !== "string" || !(typeof id === "string" || Number.isSafeInteger(id))) return undefined;
  for (const key in body)
    if (key !== "jsonrpc" && key !== "id" && key !== "method" && key !== "params") return undefined;
  if (params !== undefined && !isFields(params)) return undefined;
  const meta = params?.["_meta"];
  if (meta !== undefined && !isFields(meta)) return undefined;
  const token = meta?.["progressToken"];
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) return undefined;
  const request = { kind: "request", id: id as string | number, method, params: params ?? {} } as const;

  if (headers.protocolVersionHeader === modernRevision) {
    if (meta?.[PROTOCOL_VERSION_META_KEY] !== modernRevision || headers.mcpMethodHeader !== method) return undefined;
    if (!isPlainEnvelope(meta)) return undefined;
    const field = nameSource.get(method);
    if (field !== undefined && (params?.[field] !== headers.mcpNameHeader || headers.mcpNameHeader?.startsWith("=?")))
      return undefined;
    return { ...request, era: "modern" };
  }
  if (method === "initialize" || (meta !== undefined && PROTOCOL_VERSION_META_KEY in meta)) return undefined;
  const header = headers.protocolVersionHeader;
  return header === undefined || isLegacyRevision(header) ? { ...request, era: "legacy" } : undefined;
}

/** An envelope without anything out of the ordinary. */
function isPlainEnvelope(meta: Fields): boolean {
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  if (!isFields(capabilities)) return false;
  for (const name in capabilities) {
    // Of what a capability can hold, only the empty ones are plain: {"sampling":{}}, {"elicitation":{"form":{}}}.
    const capability = capabilities[name];
    if (!isFields(capability)) return false;
    for (const inner in capability) if (!isEmpty(capability[inner])) return false;
  }
  const info = meta[CLIENT_INFO_META_KEY];
  if (info !== undefined) {
    if (!isFields(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string") return false;
    for (const name in info) if (name !== "name" && name !== "version" && name !== "title") return false;
    if (info["title"] !== undefined && typeof info["title"] !== "string") return false;
  }
  for (const name in meta)
    if (name === LOG_LEVEL_META_KEY || name.startsWith("io.modelcontextprotocol/related")) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (!isFields(value)) return false;
  for (const _ in value) return false;
  return true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
