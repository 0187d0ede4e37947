import type { z } from "zod";
import { formatIssues } from "#lib/format-issues.ts";
import { toProtocolError } from "./app-errors.ts";
import { createInvalidParamsError } from "./messages.ts";
import type { Exchange, Result } from "./method.ts";

/**
 * Validates the params of a request, counts the call and returns the result of `run`. `toError` converts the errors of
 * the last two; by default, expected failures become protocol errors.
 */
export async function respond<Params, Output extends Result>(
  exchange: Exchange,
  schema: z.ZodType<Params>,
  run: (params: Params) => Promise<Output>,
  toError: (error: unknown, exchange: Exchange) => unknown = toProtocolError,
): Promise<Output> {
  const parseResult = schema.safeParse(exchange.params);
  if (!parseResult.success) throw createInvalidParamsError(formatIssues(parseResult.error));
  try {
    exchange.countCall();
    return await run(parseResult.data);
  } catch (error) {
    throw toError(error, exchange);
  }
}
