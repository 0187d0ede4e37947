import type { RequestId, ServerCapabilities, ServerEventBus } from "@modelcontextprotocol/server";
import type { Authentication } from "#domain/access/authenticator.ts";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Era, ResponseMessage } from "./messages.ts";
import type { ParamHeader } from "./param-headers.ts";

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
  /** The inputs that the request repeats in headers (MCP spec 2026-07-28). */
  getParamHeaders?(params: Readonly<Record<string, unknown>>): readonly ParamHeader[] | undefined;
  /** Starts a session: acts on the user's active studio, not on the studio of the previous session or grant. */
  startsSession?: true;
  /** How long the client may cache the result (MCP spec 2026-07-28, Caching). */
  ttlMs?: number;
  /** Replaces `ttlMs` for the params for which it returns a number. */
  getTtlMs?(params: Readonly<Record<string, unknown>>): number | undefined;
  handle(exchange: Exchange): Result | OpenStream | Promise<Result | OpenStream>;
}

/** All methods of the endpoint, by name. */
export type MethodTable = ReadonlyMap<string, Method>;

/** Additional features on the same endpoint. Only the conformance fixtures use this. */
export interface Extension {
  capabilities: ServerCapabilities;
  tools: readonly RawTool[];
  methods: MethodTable;
  events: ServerEventBus;
  /** Delivers a client's response to a tool's request. Returns false if no request is waiting for it. */
  receive(sessionId: string | undefined, response: ResponseMessage["message"]): boolean;
}

/** A tool that reads raw arguments and returns raw protocol results. */
export interface RawTool {
  listing: { name: string; description: string; inputSchema: object };
  call(exchange: Exchange, args: Record<string, unknown>): RawToolOutcome | Promise<RawToolOutcome>;
}

/** The result of the call, or a function that runs the call as a task. */
export type RawToolOutcome = Result | TaskWork;

/** Runs a call as a task (SEP-2663), after the response. During shutdown, it runs before the response. */
export type TaskWork = (context: TaskContext) => Promise<Result>;

export interface TaskContext {
  /** Aborts when the task is canceled or this process stops. */
  readonly signal: AbortSignal;
  /** Asks the client for input and resolves with its responses, by key. */
  requestInput(requests: Readonly<Record<string, object>>): Promise<Record<string, unknown>>;
}
