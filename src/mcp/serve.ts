import { ProtocolError, type RequestId } from "@modelcontextprotocol/server";
import { callerIn, type Authentication, type Seat } from "#domain/access/authenticator.ts";
import type { Caller } from "#domain/caller.ts";
import type { NewId } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { errorJson } from "./answer.ts";
import type { Era, Exchange, Method, Methods, Result } from "./exchange.ts";
import { errorCodes, reject, type Request } from "./messages.ts";
import type { Reply } from "./reply.ts";

/** Who asks, and in what: the part of an exchange that a whole message shares. */
export interface Visit {
  authentication: Authentication;
  /** Where the requests of this visit act; `begin` for those that begin a session. */
  seats: { act: Seat; begin: Seat };
  sessionId: string | undefined;
  whole: (() => unknown) | undefined;
}

export interface Server {
  /** Answers one request on `reply`. Never rejects. */
  serve(request: Request, visit: Visit, reply: Reply): Promise<void>;
  /** Gives up a request of the same session that is under way in this process. */
  cancel(sessionId: string | undefined, id: unknown): void;
}

export interface ServerOptions {
  methods: Methods;
  resultMeta(era: Era, caller: Caller): string;
  log: Log;
  newId: NewId;
}

export function createServer({ methods, resultMeta, log, newId }: ServerOptions): Server {
  /** Requests under way on the 2025 wire, which cancels by a message of its own. */
  const underWay = new Map<string, () => void>();

  return {
    async serve(request, visit, reply) {
      const { id, method: name, era } = request;
      const method = methods.get(name);
      if (!method || (method.era ?? era) !== era) {
        // 2026-07-28, streamable HTTP: 404. The 2025 wire answers in band.
        return reply.end(
          era === "modern" ? 404 : 200,
          errorJson(reject(404, errorCodes.methodNotFound, "Method not found", id)),
        );
      }
      const { exchange, cancel } = createExchange(request, visit, method, reply);
      const key = era === "legacy" && visit.sessionId !== undefined ? flightKey(visit.sessionId, id) : undefined;
      if (key !== undefined) underWay.set(key, cancel);
      try {
        const result = await method.answer(exchange);
        const end = resultSender(reply, id, method, exchange);
        if (typeof result === "function") reply.onGone(result(end));
        else end(result);
      } catch (error) {
        reply.end(...renderFailure(error, request));
      } finally {
        if (key !== undefined) underWay.delete(key);
      }
    },
    cancel(sessionId, id) {
      if (sessionId !== undefined) underWay.get(flightKey(sessionId, id))?.();
    },
  };

  /** Takes from the exchange no more than a result needs. */
  function resultSender(reply: Reply, id: RequestId, method: Method, { era, caller }: Exchange) {
    return (result: Result): void =>
      reply.end(
        200,
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members(result, method, era, resultMeta(era, caller))}}}`,
      );
  }

  function renderFailure(error: unknown, { id, method }: Request): [number, string] {
    if (error instanceof ProtocolError) {
      // The one error of a handler that has a status of its own (2026-07-28, capabilities).
      const status = error.code === errorCodes.missingCapability ? 400 : 200;
      return [status, errorJson(reject(status, error.code, error.message, id, error.data))];
    }
    const reference = newId("request");
    log.error({ err: error, reference, method }, "a request failed");
    return [200, errorJson(reject(200, errorCodes.internal, `Internal error. Reference: ${reference}.`, id))];
  }
}

const flightKey = (sessionId: string, id: unknown): string => `${sessionId} ${JSON.stringify(id)}`;

function createExchange(
  request: Request,
  visit: Visit,
  method: Method,
  reply: Reply,
): { exchange: Exchange; cancel: () => void } {
  let cancelled = false;
  let controller: AbortController | undefined;
  const cancel = (): void => {
    cancelled = true;
    controller?.abort();
  };
  reply.onGone(cancel);
  const { authentication } = visit;
  const caller = callerIn(authentication, method.beginsSession ? visit.seats.begin : visit.seats.act);
  const exchange: Exchange = {
    era: request.era,
    id: request.id,
    method: request.method,
    params: request.params,
    whole: visit.whole,
    authentication,
    caller,
    sessionId: visit.sessionId,
    get cancelled() {
      return cancelled;
    },
    get signal() {
      controller ??= new AbortController();
      if (cancelled) controller.abort();
      return controller.signal;
    },
    send: messageSender(reply),
    setHeader: (name, value) => reply.setHeader(name, value),
  };
  return { exchange, cancel };
}

/** Holds no more than the reply: a stream that stays open keeps it. */
function messageSender(reply: Reply): Exchange["send"] {
  return (message) => reply.event(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

/** The members of a result as JSON text, with what its wire demands of every result. */
function members(result: Result, { ttlMs }: Method, era: Era, commonMeta: string): string {
  const meta = `"_meta":{${commonMeta}`;
  if (typeof result === "string")
    return era === "modern" ? `${result},"resultType":"complete",${cacheHint(ttlMs)}${meta}}` : `${result},${meta}}`;
  const { _meta: own, ...rest } = result as { _meta?: object; resultType?: string };
  const text = JSON.stringify(rest).slice(1, -1);
  // 2025-11-25, ping: the answer is an empty result.
  if (era === "legacy" && text === "" && own === undefined) return "";
  const head = text === "" ? "" : `${text},`;
  const type = era === "modern" && rest.resultType === undefined ? `"resultType":"complete",${cacheHint(ttlMs)}` : "";
  const tail = own && Object.keys(own).length > 0 ? `,${JSON.stringify(own).slice(1, -1)}}` : "}";
  return `${head}${type}${meta}${tail}`;
}

const cacheHint = (ttlMs: number | undefined): string =>
  ttlMs === undefined ? "" : `"ttlMs":${ttlMs},"cacheScope":"private",`;
