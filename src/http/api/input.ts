import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { edgeError } from "#lib/errors.ts";
import { readableIssues } from "#lib/readable-issues.ts";
import { readJson } from "./read-body.ts";

/** Whatever else an app knows of its requests, it has the request itself. */
interface Bound {
  Bindings: HttpBindings;
}

/** A verb's schema as a check of the body; the handler has the result as `c.req.valid("json")`. */
export function jsonBody<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<Bound, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> {
  return async (c, next) => {
    c.req.addValidatedData("json", parse(schema, await readJson(c.env.incoming)));
    await next();
  };
}

/** The same for a request that may come without a body, which is then an empty object. */
export function optionalJsonBody<S extends z.ZodType<object>>(schema: S): ReturnType<typeof jsonBody<S>> {
  const validate = jsonBody(schema);
  return async (c, next) => {
    const { "content-length": length, "content-type": type } = c.env.incoming.headers;
    const isEmpty = length === "0" || (length === undefined && type === undefined);
    if (!isEmpty) return validate(c, next);
    c.req.addValidatedData("json", parse(schema, {}));
    return next();
  };
}

/** A verb's schema as a check of the query; the handler has the result as `c.req.valid("query")`. */
export function query<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<
  Bound,
  string,
  { in: { query: { [Field in keyof z.input<S>]: InAddress<z.input<S>[Field]> } }; out: { query: z.output<S> } }
> {
  return async (c, next) => {
    const given = Object.entries(c.req.queries()).map(([name, values]) => [name, readValue(name, values)]);
    c.req.addValidatedData("query", parse(schema, Object.fromEntries(given)));
    await next();
  };
}

/** In an address everything is text, though not any text where a verb takes only some words. */
type InAddress<T> = [T] extends [string | undefined] ? T : string;

/** The fields that are numbers to a verb, and those that are true or false. */
const numbers = new Set(["limit"]);
const switches = new Set(["unattached", "ended", "mine"]);

function readValue(name: string, [value = "", ...others]: readonly string[]): string | number | boolean {
  if (others.length > 0)
    throw edgeError(
      "invalid_input",
      `${name.slice(0, 50)}: expected once, but it is there ${others.length + 1} times.`,
    );
  if (switches.has(name) && (value === "true" || value === "false")) return value === "true";
  return numbers.has(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function parse<S extends z.ZodType<object>>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw edgeError("invalid_input", readableIssues(parsed.error));
  return parsed.data;
}
