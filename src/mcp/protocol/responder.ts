import { ProtocolError } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Caller } from "#domain/caller.ts";
import { formatIssues } from "#lib/format-issues.ts";
import { toProtocolError } from "./app-errors.ts";
import { errorCodes } from "./messages.ts";
import type { Exchange, Result } from "./method.ts";

/** Validates the params of a request, counts the call and runs it. */
export type Responder = <Params, Output extends Result>(
  exchange: Exchange,
  schema: z.ZodType<Params>,
  run: (params: Params) => Promise<Output>,
) => Promise<Output>;

/** `toError` converts an error of the run; by default, expected failures become protocol errors. */
export function createMethodResponder(
  startCall: (caller: Caller) => void,
  toError: (error: unknown, exchange: Exchange) => unknown = toProtocolError,
): Responder {
  return async (exchange, schema, run) => {
    const parsed = schema.safeParse(exchange.params);
    if (!parsed.success)
      throw new ProtocolError(errorCodes.invalidParams, `Invalid params: ${formatIssues(parsed.error)}`);
    try {
      startCall(exchange.caller);
      return await run(parsed.data);
    } catch (error) {
      throw toError(error, exchange);
    }
  };
}
