import { ProtocolError } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Caller } from "#domain/caller.ts";
import { formatIssues } from "#lib/format-issues.ts";
import { toProtocolError } from "./app-errors.ts";
import { errorCodes } from "./messages.ts";
import type { Exchange, Result } from "./method.ts";

/** Validates the params of a request, counts the call and returns the result of `run`. */
export type Responder = <Params, Output extends Result>(
  exchange: Exchange,
  schema: z.ZodType<Params>,
  run: (params: Params) => Promise<Output>,
) => Promise<Output>;

/**
 * `countCall` throws if the caller exceeds its rate limit. `toError` converts the errors of `countCall` and `run`; by
 * default, expected failures become protocol errors.
 */
export function createMethodResponder(
  countCall: (caller: Caller) => void,
  toError: (error: unknown, exchange: Exchange) => unknown = toProtocolError,
): Responder {
  return async (exchange, schema, run) => {
    const parseResult = schema.safeParse(exchange.params);
    if (!parseResult.success)
      throw new ProtocolError(errorCodes.invalidParams, `Invalid params: ${formatIssues(parseResult.error)}`);
    try {
      countCall(exchange.caller);
      return await run(parseResult.data);
    } catch (error) {
      throw toError(error, exchange);
    }
  };
}
