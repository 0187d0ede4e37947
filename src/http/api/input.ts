import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { edgeError } from "#lib/errors.ts";
import { formatIssues } from "#lib/readable-issues.ts";
import { readJsonBody } from "./read-body.ts";

/** Whatever else an app knows of its requests, it has the request itself. */
interface NodeEnv {
  Bindings: HttpBindings;
}

/** A verb's schema as a check of the body; the handler has the result as `c.req.valid("json")`. */
export function validateJson<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<NodeEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> {
  return async (c, next) => {
    c.req.addValidatedData("json", parseInput(schema, await readJsonBody(c.env.incoming)));
    await next();
  };
}

/** The same for a request that may come without a body, which is then an empty object. */
export function optionalJsonBody<S extends z.ZodType<object>>(schema: S): ReturnType<typeof validateJson<S>> {
  const validate = validateJson(schema);
  return async (c, next) => {
    const { "content-length": length, "content-type": type } = c.env.incoming.headers;
    const isEmpty = length === "0" || (length === undefined && type === undefined);
    if (!isEmpty) return validate(c, next);
    c.req.addValidatedData("json", parseInput(schema, {}));
    return next();
  };
}

/** A verb's schema as a check of the query; the handler has the result as `c.req.valid("query")`. */
export function query<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<
  NodeEnv,
  string,
  { in: { query: { [Field in keyof z.input<S>]: QueryValue<z.input<S>[Field]> } }; out: { query: z.output<S> } }
> {
  return async (c, next) => {
    const fields = Object.entries(c.req.queries()).map(([name, values]) => [name, parseQueryValue(name, values)]);
    c.req.addValidatedData("query", parseInput(schema, Object.fromEntries(fields)));
    await next();
  };
}

/** In an address everything is text, though not any text where a verb takes only some words. */
type QueryValue<T> = [T] extends [string | undefined] ? T : string;

/** The fields that are numbers to a verb, and those that are true or false. */
const numberFields = new Set(["limit"]);
const booleanFields = new Set(["unattached", "ended", "mine"]);

function parseQueryValue(name: string, [value = "", ...duplicates]: readonly string[]): string | number | boolean {
  if (duplicates.length > 0)
    throw edgeError(
      "invalid_input",
      `${name.slice(0, 50)}: expected once, but it is there ${duplicates.length + 1} times.`,
    );
  if (booleanFields.has(name) && (value === "true" || value === "false")) return value === "true";
  return numberFields.has(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function parseInput<S extends z.ZodType<object>>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw edgeError("invalid_input", formatIssues(parsed.error));
  return parsed.data;
}
