import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  ProtocolError,
  type RequestId,
} from "@modelcontextprotocol/server";

/** `modern` is protocol version 2026-07-28, `legacy` any earlier one. */
export type Era = "modern" | "legacy";

export const modernVersion = "2026-07-28";
/** Newest first; `initialize` falls back to the first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

export const isLegacyVersion = (version: string): boolean =>
  legacyVersions.some((legacyVersion) => legacyVersion === version);

export const errorCodes = {
  parseError: PARSE_ERROR,
  invalidRequest: INVALID_REQUEST,
  methodNotFound: METHOD_NOT_FOUND,
  invalidParams: INVALID_PARAMS,
  internal: INTERNAL_ERROR,
  headerMismatch: -32020,
  missingCapability: -32021,
  sessionNotFound: -32001,
  /** The SDK's code for errors at the HTTP level. */
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

/** A client's response to a request from this server; legacy versions only. */
export interface ResponseMessage {
  kind: "response";
  message: { id: RequestId; result?: unknown; error?: { message?: string } };
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

export interface Batch {
  kind: "batch";
  messages: readonly Message[];
}

/** A rejected message: the JSON-RPC error and its HTTP status. */
export interface Rejection {
  kind: "rejection";
  status: number;
  code: number;
  message: string;
  data?: unknown;
  id: RequestId | null;
}

/** The headers that mirror the body, under the SDK's names. */
export interface MirroredHeaders {
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

export const createBadRequest = (
  message: string,
  id: RequestId | null = null,
  code: number = errorCodes.invalidRequest,
): Rejection => createRejection(400, code, `Bad Request: ${message}`, id);

export const createInvalidParamsError = (problem: string): ProtocolError =>
  new ProtocolError(errorCodes.invalidParams, `Invalid params: ${problem}`);
