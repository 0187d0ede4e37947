import { ProtocolError, type RequestId } from "@modelcontextprotocol/server";
import { type Authentication, type Membership, toCaller } from "#domain/model/authentication.ts";
import type { Caller } from "#domain/caller.ts";
import type { IdGenerator } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { toErrorJson, type ResponseWriter } from "../transport/response.ts";
import type { Exchange, Method, Result } from "./method.ts";
import { reportInternalError } from "./app-errors.ts";
import { errorCodes, type Era, type RequestMessage } from "./messages.ts";

/** What all messages of one HTTP request share. */
export interface MessageContext {
  authentication: Authentication;
  /** `current` applies to most requests, `nextSession` to those that start a session. */
  memberships: { current: Membership; nextSession: Membership };
  sessionId: string | undefined;
  parseFull: (() => unknown) | undefined;
}

export interface Dispatcher {
  /** Handles one request and writes its response. Never rejects. */
  dispatch(request: RequestMessage, context: MessageContext, writer: ResponseWriter): Promise<void>;
  /** Cancels a request from the same session that is running in this process. */
  cancel(sessionId: string | undefined, id: unknown): void;
}

export function createDispatcher(
  methods: ReadonlyMap<string, Method>,
  formatResultMeta: (era: Era, caller: Caller) => string,
  countCall: (caller: Caller) => void,
  newId: IdGenerator,
  log: Log,
): Dispatcher {
  /** The running requests of legacy protocol versions, whose clients cancel with a notification. */
  const cancelByRequestKey = new Map<string, () => void>();

  return {
    async dispatch(request, context, writer) {
      const { id, era } = request;
      const method = methods.get(request.method);
      if (!method || (method.era ?? era) !== era) {
        // MCP spec 2026-07-28, Streamable HTTP: respond with 404. Legacy versions get the error in a 200 response.
        const status = era === "modern" ? 404 : 200;
        return writer.end(status, toErrorJson({ code: errorCodes.methodNotFound, message: "Method not found", id }));
      }
      const { exchange, cancel } = createExchange(request, context, method, writer, countCall);
      const requestKey =
        era === "legacy" && context.sessionId !== undefined ? toRequestKey(context.sessionId, id) : undefined;
      if (requestKey !== undefined) cancelByRequestKey.set(requestKey, cancel);
      try {
        const result = await method.handle(exchange);
        const sendResult = createResultSender(writer, id, method, exchange);
        if (typeof result !== "function") return sendResult(result);
        const cleanUp = result(sendResult);
        writer.onDisconnect(cleanUp);
        // The client may have disconnected before `cleanUp` was registered.
        if (exchange.isCancelled()) cleanUp();
      } catch (error) {
        writer.end(...toErrorResponse(error, request));
      } finally {
        if (requestKey !== undefined) cancelByRequestKey.delete(requestKey);
      }
    },
    cancel(sessionId, id) {
      if (sessionId !== undefined) cancelByRequestKey.get(toRequestKey(sessionId, id))?.();
    },
  };

  /** Retains only `era` and `caller` of the exchange, because an open stream keeps this closure alive. */
  function createResultSender(
    writer: ResponseWriter,
    id: RequestId,
    method: Method,
    { era, caller, params }: Exchange,
  ) {
    const ttlMs = method.getTtlMs?.(params) ?? method.ttlMs;
    return (result: Result): void =>
      writer.end(
        200,
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${formatResult(result, ttlMs, era, formatResultMeta(era, caller))}}}`,
      );
  }

  function toErrorResponse(error: unknown, { id, method }: RequestMessage): [number, string] {
    if (error instanceof ProtocolError) {
      // The only handler error with its own HTTP status (MCP spec 2026-07-28, Capabilities).
      const status = error.code === errorCodes.missingCapability ? 400 : 200;
      return [status, toErrorJson({ code: error.code, message: error.message, id, data: error.data })];
    }
    return [200, toErrorJson({ ...reportInternalError(error, newId, log, "MCP method failed", { method }), id })];
  }
}

const toRequestKey = (sessionId: string, id: unknown): string => `${sessionId} ${JSON.stringify(id)}`;

function createExchange(
  request: RequestMessage,
  context: MessageContext,
  method: Method,
  writer: ResponseWriter,
  countCall: (caller: Caller) => void,
): { exchange: Exchange; cancel: () => void } {
  let isCancelled = false;
  let controller: AbortController | undefined;
  const cancel = (): void => {
    isCancelled = true;
    controller?.abort();
  };
  writer.onDisconnect(cancel);
  const caller = toCaller(
    context.authentication,
    method.startsSession ? context.memberships.nextSession : context.memberships.current,
  );
  const exchange: Exchange = {
    ...request,
    ...context,
    caller,
    isCancelled: () => isCancelled,
    getSignal() {
      controller ??= new AbortController();
      if (isCancelled) controller.abort();
      return controller.signal;
    },
    countCall: () => countCall(caller),
    send: createMessageSender(writer),
    setHeader: (name, value) => writer.setHeader(name, value),
  };
  return { exchange, cancel };
}

/** Retains only the writer, because an open stream keeps this closure alive. */
function createMessageSender(writer: ResponseWriter): Exchange["send"] {
  return (message) => writer.sendEvent(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

/** Returns the members of a result as JSON text, with the fields that its protocol version requires. */
function formatResult(result: Result, ttlMs: number | undefined, era: Era, commonMeta: string): string {
  const openMeta = `"_meta":{${commonMeta}`;
  if (typeof result === "string")
    return era === "modern"
      ? `${result},"resultType":"complete",${formatCacheHint(ttlMs)}${openMeta}}`
      : `${result},${openMeta}}`;
  const { _meta: extraMeta, ...rest } = result as { _meta?: object; resultType?: string };
  const text = JSON.stringify(rest).slice(1, -1);
  // MCP spec 2025-11-25, Ping: the response is an empty result.
  if (era === "legacy" && text === "" && extraMeta === undefined) return "";
  const ownMembers = text === "" ? "" : `${text},`;
  const typeMembers =
    era === "modern" && rest.resultType === undefined ? `"resultType":"complete",${formatCacheHint(ttlMs)}` : "";
  const restOfMeta =
    extraMeta && Object.keys(extraMeta).length > 0 ? `,${JSON.stringify(extraMeta).slice(1, -1)}}` : "}";
  return `${ownMembers}${typeMembers}${openMeta}${restOfMeta}`;
}

const formatCacheHint = (ttlMs: number | undefined): string =>
  ttlMs === undefined ? "" : `"ttlMs":${ttlMs},"cacheScope":"private",`;
