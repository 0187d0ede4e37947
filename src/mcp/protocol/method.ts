import type { RequestId, ServerCapabilities, ServerEventBus } from "@modelcontextprotocol/server";
import type { Authentication } from "#domain/access/authenticator.ts";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Era, ResponseMessage } from "./messages.ts";

/**
 * A result: an object, or the members of one as JSON text (`"content":[…]`) where it was written already.
 * What every result carries is added on its way out.
 */
export type Result = string | Record<string, unknown>;

/**
 * Said instead of a result where the answer stays open: is told how to end it, and says what to do if the client leaves.
 * Nothing of the exchange is held meanwhile, unless this holds it: there may be thousands.
 */
export type OpenStream = (end: (result: Result) => void) => () => void;

/** One request on its way to its answer. */
export interface Exchange {
  readonly era: Era;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The message of a long request to the full; its `params` have empty strings in the place of long ones. */
  readonly parseFull: (() => unknown) | undefined;
  readonly authentication: Authentication;
  readonly caller: Caller;
  /** The sealed session of the 2025 wire. */
  readonly sessionId: string | undefined;
  /** Aborted when the client has gone or has cancelled the request. Made when first asked for. */
  readonly signal: AbortSignal;
  /** Whether it is, without making one. */
  readonly isCancelled: boolean;
  /** Sends a message ahead of the answer. The answer then comes as an event stream. */
  send(message: Record<string, unknown>): void;
  /** A header of the answer, while it is not under way. */
  setHeader(name: string, value: string): void;
}

export interface Method {
  /** On which wire it exists; both, if not said. */
  era?: Era;
  /** The scope a request needs; asked before anything runs. */
  scopeFor?(params: Readonly<Record<string, unknown>>): Scope | undefined;
  /** Begins a session: acts in the user's active studio, not the one of the session or grant before. */
  startsSession?: true;
  /** Milliseconds its result may be kept by the client that asked (2026-07-28, caching). */
  ttlMs?: number;
  handle(exchange: Exchange): Result | OpenStream | Promise<Result>;
}

/** Everything the endpoint can be asked, by name. */
export type MethodTable = ReadonlyMap<string, Method>;

/** More than the product serves, on the same transport. Only the conformance fixtures are one. */
export interface Extension {
  capabilities: ServerCapabilities;
  tools: readonly RawTool[];
  methods: MethodTable;
  events: ServerEventBus;
  /** A client's answer to a request that a tool sent; false where nobody waits for it. */
  receive(sessionId: string | undefined, response: ResponseMessage["message"]): boolean;
}

/** A tool that answers in the protocol's own words. */
export interface RawTool {
  listing: { name: string; description: string; inputSchema: object };
  call(exchange: Exchange, args: Record<string, unknown>): Result | Promise<Result>;
}
