import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RequestId,
} from "@modelcontextprotocol/server";

/** The wire of 2026-07-28, or one of those before it. */
export type Era = "modern" | "legacy";

export const modernRevision = "2026-07-28";
/** Newest first: what `initialize` falls back to. */
export const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

export const isLegacyRevision = (revision: string): boolean => legacyRevisions.some((known) => known === revision);

export const errorCodes = {
  parseError: PARSE_ERROR,
  invalidRequest: INVALID_REQUEST,
  methodNotFound: METHOD_NOT_FOUND,
  invalidParams: INVALID_PARAMS,
  internal: INTERNAL_ERROR,
  headerMismatch: -32020,
  missingCapability: -32021,
  sessionNotFound: -32001,
  /** What the SDK answers where HTTP, not JSON-RPC, is at fault. */
  httpError: -32000,
} as const;

type Params = Readonly<Record<string, unknown>>;

export interface RequestMessage {
  kind: "request";
  era: Era;
  id: RequestId;
  method: string;
  params: Params;
}

export interface NotificationMessage {
  kind: "notification";
  era: Era;
  method: string;
  params: Params;
}

/** An answer of the client to a request of ours: 2025 wire only. */
export interface ResponseMessage {
  kind: "response";
  message: { id: RequestId; result?: unknown; error?: { message?: string } };
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

export interface Batch {
  kind: "batch";
  messages: readonly Message[];
}

/** A message that is not served: the JSON-RPC error, and the HTTP status it comes with. */
export interface Rejection {
  kind: "rejection";
  status: number;
  code: number;
  message: string;
  data?: unknown;
  id: RequestId | null;
}

/** The headers that repeat what the body says, under the SDK's names for them. */
export interface WireHeaders {
  protocolVersionHeader: string | undefined;
  mcpMethodHeader: string | undefined;
  mcpNameHeader: string | undefined;
}

export function createRejection(
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
  data?: unknown,
): Rejection {
  return { kind: "rejection", status, code, message, id, ...(data === undefined ? {} : { data }) };
}
