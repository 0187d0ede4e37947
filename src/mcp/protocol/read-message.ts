import {
  classifyInboundRequest,
  UnsupportedProtocolVersionError,
  type InboundHttpRequest,
  type RequestId,
} from "@modelcontextprotocol/server";
import {
  errorCodes,
  isLegacyVersion,
  legacyVersions,
  modernVersion,
  createBadRequest,
  createRejection,
  type Batch,
  type Era,
  type Message,
  type Rejection,
  type ResponseMessage,
  type MirroredHeaders,
} from "./messages.ts";
import { checkStandardHeaders, matchFastPath } from "./standard-headers.ts";

/** The only version with batches, and the default without a version header (MCP spec 2025-06-18, Transports). */
const batchVersion = "2025-03-26";
/** Maximum number of messages in one batch; no known client sends this many. */
const maxBatchSize = 50;

/**
 * Reads a parsed body as a message of its protocol version. Common valid requests take the fast path; the SDK's
 * classifier checks all other messages and provides the error texts.
 */
export function readMessage(
  body: unknown,
  headers: MirroredHeaders,
  sessionVersion: string | undefined,
): Message | Batch | Rejection {
  const fastRequest = matchFastPath(body, headers);
  if (fastRequest) return fastRequest;
  if (Array.isArray(body)) return readBatch(body, headers, sessionVersion);

  const id = readRequestId(body);
  const result = classifyInboundRequest({ httpMethod: "POST", ...headers, body } as InboundHttpRequest);
  if (result.kind === "reject") return createRejection(result.httpStatus, result.code, result.message, id, result.data);
  if (result.kind === "legacy") {
    return (
      (result.reason === "initialize" ? undefined : checkLegacyVersion(headers, id)) ??
      toMessage(body as JsonRpcBody, "legacy")
    );
  }
  const { revision: requestedVersion } = result.classification;
  if (requestedVersion !== modernVersion) {
    const error = new UnsupportedProtocolVersionError({
      supported: [modernVersion],
      requested: requestedVersion ?? "unknown",
    });
    return createRejection(400, error.code, error.message, id, error.data);
  }
  const rejection =
    result.messageKind === "request"
      ? checkStandardHeaders(result.message.method, result.message.params, headers, id)
      : undefined;
  return rejection ?? toMessage(body as JsonRpcBody, "modern");
}

function readBatch(
  body: readonly unknown[],
  headers: MirroredHeaders,
  sessionVersion: string | undefined,
): Batch | Rejection {
  const version = sessionVersion ?? headers.protocolVersionHeader ?? batchVersion;
  if (version !== batchVersion) return createBadRequest("this protocol version does not support batches");
  if (body.length > maxBatchSize) return createBadRequest(`a batch can have at most ${maxBatchSize} messages`);
  const result = classifyInboundRequest({ httpMethod: "POST", ...headers, body } as InboundHttpRequest);
  if (result.kind === "reject")
    return createRejection(result.httpStatus, result.code, result.message, null, result.data);
  const messages = (body as JsonRpcBody[]).map((item) => toMessage(item, "legacy"));
  // MCP spec 2025-03-26, Lifecycle: initialize must not be part of a batch.
  const hasInitialize = messages.some((item) => item.kind === "request" && item.method === "initialize");
  return hasInitialize ? createBadRequest("initialize cannot be part of a batch") : { kind: "batch", messages };
}

/** MCP spec 2025-06-18, Transports: respond with 400 to an unsupported MCP-Protocol-Version. */
function checkLegacyVersion(
  { protocolVersionHeader: version }: MirroredHeaders,
  id: RequestId | null,
): Rejection | undefined {
  if (version === undefined || isLegacyVersion(version)) return undefined;
  const supportedVersions = [modernVersion, ...legacyVersions].join(", ");
  const message = `Unsupported protocol version (supported versions: ${supportedVersions})`;
  return createBadRequest(message, id, errorCodes.httpError);
}

interface JsonRpcBody {
  id?: RequestId;
  method?: string;
  params?: Record<string, unknown>;
}

function toMessage(body: JsonRpcBody, era: Era): Message {
  const { id, method, params = {} } = body;
  if (method === undefined) return { kind: "response", message: body as ResponseMessage["message"] };
  return id === undefined
    ? { kind: "notification", era, method, params }
    : { kind: "request", era, id, method, params };
}

/** Returns the id for the error response; null if the body has no valid one. */
function readRequestId(body: unknown): RequestId | null {
  if (typeof body !== "object" || body === null) return null;
  const { id, method } = body as JsonRpcBody;
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : null;
}
