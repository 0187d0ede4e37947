import type { IncomingMessage, ServerResponse } from "node:http";
import { sendEarlyResponse } from "#lib/request-body.ts";
import { createRejection, errorCodes, type Rejection } from "../protocol/messages.ts";
import { openEventStream, type EventStream } from "./event-stream.ts";

/** Unread bodies up to this size are discarded, so that the connection can be reused. */
const smallBodyBytes = 64 * 1024;

type ResponseHeaders = Record<string, string>;

function sendText(res: ServerResponse, status: number, type: string, text: string, headers?: ResponseHeaders): void {
  if (res.headersSent || res.destroyed) return void res.end();
  res.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...headers,
  });
  res.end(text);
}

/** Responds even if the request body has not been read completely. */
export function respondEarly(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: ResponseHeaders = {},
): void {
  if (res.headersSent || res.destroyed) return void res.end();
  const allHeaders = { "content-type": type, "cache-control": "no-store", ...headers };
  sendEarlyResponse(req, res, { status, headers: allHeaders, text }, smallBodyBytes);
}

export function respondUnauthorized(req: IncomingMessage, res: ServerResponse, challenge: string, error: string): void {
  respondEarly(req, res, 401, "application/json", JSON.stringify({ error }), { "www-authenticate": challenge });
}

/** Responds with a JSON-RPC error, even if the request body has not been read completely. */
export function respondWithRejection(
  req: IncomingMessage,
  res: ServerResponse,
  rejection: Rejection,
  headers?: ResponseHeaders,
): void {
  respondEarly(req, res, rejection.status, "application/json", toErrorJson(rejection), headers);
}

export function respondSessionNotFound(req: IncomingMessage, res: ServerResponse): void {
  respondWithRejection(req, res, createRejection(404, errorCodes.sessionNotFound, "Session not found"));
}

export function toErrorJson({ code, message, data, id }: Pick<Rejection, "code" | "message" | "data" | "id">): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** Writes one JSON response, or an event stream if a message is sent before the result. */
export interface ResponseWriter {
  setHeader(name: string, value: string): void;
  /** Sends a message before the result. */
  sendEvent(json: string): void;
  /** Sends the last message and ends the response. */
  end(status: number, json: string): void;
  /** Sets the handler for a client that disconnects before the end; replaces any earlier one. */
  onDisconnect(handler: () => void): void;
}

export function createHttpWriter(res: ServerResponse): ResponseWriter {
  let headers: ResponseHeaders | undefined;
  let stream: EventStream | undefined;
  let disconnectHandler: (() => void) | undefined;
  return {
    setHeader(name, value) {
      (headers ??= {})[name] = value;
    },
    sendEvent(json) {
      stream ??= openEventStream(res, { headers });
      stream.send(json);
    },
    end(status, json) {
      if (stream) stream.end(json);
      else sendText(res, status, "application/json", json, headers);
    },
    onDisconnect(handler) {
      if (disconnectHandler === undefined) res.once("close", () => !res.writableFinished && disconnectHandler?.());
      disconnectHandler = handler;
    },
  };
}
