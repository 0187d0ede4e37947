import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { formatIssues } from "#lib/format-issues.ts";
import type { ReadAuthority } from "./context.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { parseJson } from "#lib/parse-json.ts";
import { findJsonHeaderProblem, readBody } from "#lib/request-body.ts";

interface NodeEnv {
  Bindings: HttpBindings;
}

interface BodyEnv extends NodeEnv {
  Variables: ReadAuthority;
}

/** Validates the JSON body against a verb's schema. Handlers read the result with `c.req.valid("json")`. */
export function validateJson<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<BodyEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> {
  return async (c, next) => {
    const hasArrived = c.env.incoming.complete;
    const body = await readJsonBody(c.env.incoming);
    if (!hasArrived) await c.var.readAuthority();
    c.req.addValidatedData("json", parseInput(schema, body));
    await next();
  };
}

/** Like `validateJson`, but treats a missing body as an empty object. */
export function validateOptionalJson<S extends z.ZodType<object>>(schema: S): ReturnType<typeof validateJson<S>> {
  const validate = validateJson(schema);
  return async (c, next) => {
    const { "content-length": length, "content-type": type } = c.env.incoming.headers;
    const isEmpty = length === "0" || (length === undefined && type === undefined);
    if (!isEmpty) return validate(c, next);
    c.req.addValidatedData("json", parseInput(schema, {}));
    return next();
  };
}

/** Query values are strings; fields with an enum keep its type. */
type QueryValue<T> = [T] extends [string | undefined] ? T : string;

/** Validates the query against a verb's schema. Handlers read the result with `c.req.valid("query")`. */
export function validateQuery<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<
  NodeEnv,
  string,
  { in: { query: { [Field in keyof z.input<S>]: QueryValue<z.input<S>[Field]> } }; out: { query: z.output<S> } }
> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const types = new Map(Object.entries(properties).map(([name, part]) => [name, (part as { type?: unknown }).type]));
  return async (c, next) => {
    const fields = Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      parseQueryValue(name, values, types.get(name)),
    ]);
    c.req.addValidatedData("query", parseInput(schema, Object.fromEntries(fields)));
    await next();
  };
}

/** Query values are strings. The schema says which of them to parse, as in JSON. */
function parseQueryValue(
  name: string,
  [value = "", ...duplicates]: readonly string[],
  type: unknown,
): string | number | boolean {
  if (duplicates.length > 0)
    throw edgeError("invalid_input", `${name.slice(0, 50)}: expected once, but sent ${duplicates.length + 1} times.`);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return type === "integer" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

export function parseInput<S extends z.ZodType<object>>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (!result.success) throw edgeError("invalid_input", formatIssues(result.error));
  return result.data;
}

const maxBodyBytes = 1024 * 1024;
/** More than any input needs. A body of unknown keys only would take the validation 200 ms. */
const maxBodyValues = 20_000;

async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const headerProblem = findJsonHeaderProblem(req, maxBodyBytes);
  if (headerProblem === "too_large") throw bodyTooLargeError();
  if (headerProblem !== undefined)
    throw edgeError(
      "unsupported_type",
      "The body must be uncompressed JSON in UTF-8.",
      "Send it with Content-Type: application/json.",
    );
  const body = await readBody(req, (bytes) => (bytes > maxBodyBytes ? bodyTooLargeError() : undefined)).catch(
    (cause: unknown) => edgeError("invalid_input", "The body was truncated.", "Send the request again.", { cause }),
  );
  if (body instanceof AppError) throw body;
  return parseJson(body, { maxValues: maxBodyValues });
}

const bodyTooLargeError = (): AppError =>
  edgeError("too_large", `The body is larger than ${maxBodyBytes} bytes.`, "Send a smaller body.");
