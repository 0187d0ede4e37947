import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { parseJson } from "#lib/parse-json.ts";
import { formatIssues } from "#lib/describe-issues.ts";

const maxBytes = 1024 * 1024;

const jsonContentType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

/** The body as JSON. What it is comes from its headers, how long it is from its bytes alone. */
async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const {
    "content-type": type = "",
    "content-encoding": encoding = "identity",
    "content-length": length,
  } = req.headers;
  if (!jsonContentType.test(type) || encoding.toLowerCase() !== "identity") {
    throw edgeError(
      "unsupported_type",
      "The body must be JSON in UTF-8, and not compressed.",
      "Send it as content-type: application/json.",
    );
  }
  if (Number(length) > maxBytes) throw tooLargeError();
  return parseJson(await readBytes(req));
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The stream outlives a refusal, so that the answer still reaches whoever is sending.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLargeError();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw edgeError("invalid_input", "The body broke off before its end.", "Send the request again.", {
      cause: error,
    });
  }
  return Buffer.concat(chunks);
}

const tooLargeError = (): AppError =>
  edgeError("too_large", `The body is longer than ${maxBytes} bytes.`, "Send less at once.");

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

/** Addresses of files are signed anew for each answer: that alone is no news, until those in hand grow old. */
const signedUrlFields = new Set(["url", "thumbnailUrl"]);
const urlRefreshMs = minutes(20);

/** Answers 304 to whoever has this already (RFC 9110 §13.1.2): open pages ask every other second. */
export function jsonWithEtag<T extends object>(c: Context, value: T, now = Date.now()) {
  const comparableJson = JSON.stringify(value, (key, member: unknown) =>
    signedUrlFields.has(key) ? undefined : member,
  );
  const etag = `"${sha256(`${Math.floor(now / urlRefreshMs)} ${comparableJson}`)}"`;
  c.header("etag", etag);
  const respond = () => c.json(value);
  if (c.req.header("if-none-match") !== etag) return respond();
  // To the client's types this is the answer as well: it keeps the one it has.
  return c.body(null, 304) as unknown as ReturnType<typeof respond>;
}
