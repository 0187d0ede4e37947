import type { IncomingHttpHeaders } from "node:http";
import { decodeHeaderValue, type HeaderMismatch } from "#mcp/protocol/standard-headers.ts";

/**
 * An input that clients repeat in the header `Mcp-Param-{name}` (MCP spec 2026-07-28, Custom Headers from Tool
 * Parameters).
 */
export interface ParamHeader {
  /** In lower case, as Node names headers. */
  header: string;
  /** The chain of `properties` keys that leads to the input. */
  path: readonly string[];
}

interface SchemaPart {
  properties?: Readonly<Record<string, SchemaPart>>;
  "x-mcp-header"?: unknown;
}

/**
 * Lists the inputs that a schema annotates with a header. Inputs inside `items` or `anyOf` can't have one, because
 * clients reject tools with an annotation there.
 */
export function listParamHeaders(schema: SchemaPart, path: readonly string[] = []): ParamHeader[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const partPath = [...path, key];
    const name = part["x-mcp-header"];
    const ownHeader = typeof name === "string" ? [{ header: `mcp-param-${name.toLowerCase()}`, path: partPath }] : [];
    return [...ownHeader, ...listParamHeaders(part, partPath)];
  });
}

/** Visible ASCII, spaces and tabs (RFC 9110 §5.5); everything else must be encoded. */
const plainValue = /^[\t\x20-\x7e]*$/;

/** Describes the first header that is missing, invalid or does not match its argument; undefined if all match. */
export function findParamMismatch(
  paramHeaders: readonly ParamHeader[],
  args: unknown,
  headers: IncomingHttpHeaders,
): HeaderMismatch | undefined {
  for (const { header, path } of paramHeaders) {
    const argument = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], args);
    const hasArgument = argument !== undefined && argument !== null;
    const value = headers[header]?.toString();
    const field = `params.arguments.${path.join(".")}`;
    if (value === undefined && !hasArgument) continue;
    if (value === undefined)
      return { headerValue: "(missing)", explanation: `the body carries ${field} but the header ${header} is absent` };
    if (!hasArgument)
      return { headerValue: value, explanation: `the header ${header} is present but the body has no ${field}` };
    const headerText = plainValue.test(value) ? decodeHeaderValue(value.trim()) : undefined;
    if (headerText === undefined)
      return { headerValue: value, explanation: `the header ${header} carries an invalid value` };
    if (typeof argument === "object" || headerText !== toHeaderText(argument))
      return {
        headerValue: value,
        explanation: `the body carries ${field} with a different value than the header ${header}`,
      };
  }
  return undefined;
}

/** In a header, integers and booleans are written as in JSON. */
const toHeaderText = (argument: unknown): string =>
  typeof argument === "string" ? argument : JSON.stringify(argument);
