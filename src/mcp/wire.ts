import {
  classifyInboundRequest,
  UnsupportedProtocolVersionError,
  type InboundHttpRequest,
  type RequestId,
} from "@modelcontextprotocol/server";
import {
  errorCodes,
  isLegacyRevision,
  legacyRevisions,
  modernRevision,
  reject,
  type Batch,
  type Era,
  type Message,
  type Rejection,
  type Response,
  type WireHeaders,
} from "./messages.ts";
import { recognize } from "./recognize.ts";
import { checkStandardHeaders } from "./standard-headers.ts";

/** The only revision that has batches, and what a request means that names no revision (2025-06-18, transports). */
const batchRevision = "2025-03-26";
/** More than any client sends; each is a request of its own. */
const maxBatch = 50;

/**
 * What a body says, on which wire. What is plainly right is recognized here; everything else is judged
 * by the SDK's own classifier, whose words the rejections are.
 */
export function readMessage(
  body: unknown,
  headers: WireHeaders,
  sessionRevision: string | undefined,
): Message | Batch | Rejection {
  const plain = recognize(body, headers);
  if (plain) return plain;
  if (Array.isArray(body)) return readBatch(body, headers, sessionRevision);

  const id = idOf(body);
  const verdict = classifyInboundRequest({ httpMethod: "POST", ...headers, body } as InboundHttpRequest);
  if (verdict.kind === "reject") return reject(verdict.httpStatus, verdict.code, verdict.message, id, verdict.data);
  if (verdict.kind === "legacy") {
    return (
      (verdict.reason === "initialize" ? undefined : checkLegacyRevision(headers, id)) ??
      toMessage(body as JsonRpc, "legacy")
    );
  }
  const { revision } = verdict.classification;
  if (revision !== modernRevision) {
    const error = new UnsupportedProtocolVersionError({
      supported: [modernRevision],
      requested: revision ?? "unknown",
    });
    return reject(400, error.code, error.message, id, error.data);
  }
  const fault =
    verdict.messageKind === "request"
      ? checkStandardHeaders(verdict.message.method, verdict.message.params, headers, id)
      : undefined;
  return fault ?? toMessage(body as JsonRpc, "modern");
}

function readBatch(
  body: readonly unknown[],
  headers: WireHeaders,
  sessionRevision: string | undefined,
): Batch | Rejection {
  const revision = sessionRevision ?? headers.protocolVersionHeader ?? batchRevision;
  if (revision !== batchRevision)
    return reject(400, errorCodes.invalidRequest, "Bad Request: this protocol revision has no batches");
  if (body.length > maxBatch)
    return reject(400, errorCodes.invalidRequest, `Bad Request: a batch holds at most ${maxBatch} messages`);
  const verdict = classifyInboundRequest({ httpMethod: "POST", ...headers, body } as InboundHttpRequest);
  if (verdict.kind === "reject") return reject(verdict.httpStatus, verdict.code, verdict.message, null, verdict.data);
  const messages = (body as JsonRpc[]).map((one) => toMessage(one, "legacy"));
  // 2025-03-26, lifecycle: initialize is no part of a batch.
  const initializes = messages.some((one) => one.kind === "request" && one.method === "initialize");
  return initializes
    ? reject(400, errorCodes.invalidRequest, "Bad Request: initialize cannot be part of a batch")
    : { kind: "batch", messages };
}

/** 2025-06-18, transports: an unsupported MCP-Protocol-Version is answered with 400. */
function checkLegacyRevision(
  { protocolVersionHeader: revision }: WireHeaders,
  id: RequestId | null,
): Rejection | undefined {
  if (revision === undefined || isLegacyRevision(revision)) return undefined;
  const supported = [modernRevision, ...legacyRevisions].join(", ");
  return reject(
    400,
    errorCodes.httpRefusal,
    `Bad Request: Unsupported protocol version (supported versions: ${supported})`,
    id,
  );
}

interface JsonRpc {
  id?: RequestId;
  method?: string;
  params?: Record<string, unknown>;
}

function toMessage(body: JsonRpc, era: Era): Message {
  const { id, method, params = {} } = body;
  if (method === undefined) return { kind: "response", message: body as Response["message"] };
  return id === undefined
    ? { kind: "notification", era, method, params }
    : { kind: "request", era, id, method, params };
}

/** The id to answer under, where one can be read. */
function idOf(body: unknown): RequestId | null {
  if (typeof body !== "object" || body === null) return null;
  const { id, method } = body as JsonRpc;
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : null;
}
