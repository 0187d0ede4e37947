import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { formatIssues } from "#lib/describe-issues.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { parseJson } from "#lib/parse-json.ts";

interface NodeEnv {
  Bindings: HttpBindings;
}

/** Validates the JSON body against a verb's schema. Handlers read the result with `c.req.valid("json")`. */
export function validateJson<S extends z.ZodType<object>>(
  schema: S,
): MiddlewareHandler<NodeEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> {
  return async (c, next) => {
    c.req.addValidatedData("json", parseInput(schema, await readJsonBody(c.env.incoming)));
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
  return async (c, next) => {
    const fields = Object.entries(c.req.queries()).map(([name, values]) => [name, parseQueryValue(name, values)]);
    c.req.addValidatedData("query", parseInput(schema, Object.fromEntries(fields)));
    await next();
  };
}

/** Query fields that verbs expect as numbers or booleans. */
const numberFields = new Set(["limit"]);
const booleanFields = new Set(["unattached", "ended", "mine"]);

function parseQueryValue(name: string, [value = "", ...duplicates]: readonly string[]): string | number | boolean {
  if (duplicates.length > 0)
    throw edgeError("invalid_input", `${name.slice(0, 50)}: expected once, but sent ${duplicates.length + 1} times.`);
  if (booleanFields.has(name) && (value === "true" || value === "false")) return value === "true";
  return numberFields.has(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function parseInput<S extends z.ZodType<object>>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (!result.success) throw edgeError("invalid_input", formatIssues(result.error));
  return result.data;
}

const maxBodyBytes = 1024 * 1024;
const jsonContentType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const {
    "content-type": type = "",
    "content-encoding": encoding = "identity",
    "content-length": length,
  } = req.headers;
  if (!jsonContentType.test(type) || encoding.toLowerCase() !== "identity") {
    throw edgeError(
      "unsupported_type",
      "The body must be uncompressed JSON in UTF-8.",
      "Send it with Content-Type: application/json.",
    );
  }
  if (Number(length) > maxBodyBytes) throw bodyTooLargeError();
  return parseJson(await readBytes(req));
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Keeps the stream open after an error, so that the client receives the response.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBodyBytes) throw bodyTooLargeError();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw edgeError("invalid_input", "The body was truncated.", "Send the request again.", { cause: error });
  }
  return Buffer.concat(chunks);
}

const bodyTooLargeError = (): AppError =>
  edgeError("too_large", `The body is larger than ${maxBodyBytes} bytes.`, "Send a smaller body.");
