import type { RequestId } from "@modelcontextprotocol/server";
import type { Authentication } from "#domain/model/authentication.ts";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Era } from "./messages.ts";

/**
 * A result: an object, or its members as JSON text (`"content":[…]`) if already serialized.
 * The dispatcher adds the fields that every result has.
 */
export type Result = string | Record<string, unknown>;

/**
 * Returned instead of a result to keep the response open. Receives the function that ends the response, and returns the
 * cleanup for a client that disconnects. Must not retain the exchange, because thousands of streams may be open.
 */
export type OpenStream = (end: (result: Result) => void) => () => void;

/** One request and the means to respond to it. */
export interface Exchange {
  readonly era: Era;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Parses a long request in full, because its `params` have empty strings in place of long ones. */
  readonly parseFull: (() => unknown) | undefined;
  readonly authentication: Authentication;
  readonly caller: Caller;
  /** The signed session id; legacy versions only. */
  readonly sessionId: string | undefined;
  /** Returns the signal that aborts when the client disconnects or cancels the request; creates it on first use. */
  getSignal(): AbortSignal;
  /** Whether the client disconnected or cancelled the request. Does not create the signal. */
  isCancelled(): boolean;
  /** Counts the request as a call. Throws if the user makes too many calls. */
  countCall(): void;
  /** Sends a message before the result, which turns the response into an event stream. */
  send(message: Record<string, unknown>): void;
  /** Sets a response header; no effect once the response has started. */
  setHeader(name: string, value: string): void;
}

export interface Method {
  /** The protocol versions that have this method; both if omitted. */
  era?: Era;
  /** The scope that a request requires, checked before the method runs. */
  getRequiredScope?(params: Readonly<Record<string, unknown>>): Scope | undefined;
  /** Starts a session: acts on the user's active studio, not on the studio of the previous session or grant. */
  startsSession?: true;
  /** How long the client may cache the result (MCP spec 2026-07-28, Caching). */
  ttlMs?: number;
  /** Replaces `ttlMs` for the params for which it returns a number. */
  getTtlMs?(params: Readonly<Record<string, unknown>>): number | undefined;
  handle(exchange: Exchange): Result | OpenStream | Promise<Result | OpenStream>;
}
