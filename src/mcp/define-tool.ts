import { z } from "zod";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Preview } from "#domain/assets/thumbnails.ts";
import type { Deps } from "#domain/deps.ts";
import type { Action } from "#domain/policy.ts";
import type { PageToOpen } from "./url-elicitation.ts";

/** MCP tool annotations. Every tool sets all four. */
export interface Hints {
  readOnly: boolean;
  /** Can delete or overwrite existing data. */
  destructive: boolean;
  /** Repeating a call with the same input has no further effect. */
  idempotent: boolean;
  /** Contacts other systems. */
  openWorld: boolean;
}

export interface RunContext {
  /** Aborts when the client disconnects or cancels the call. */
  readonly signal: AbortSignal;
}

/** A tool as its file declares it. `tool-methods.ts` lists and calls all of them. */
export interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** Matches the file name, with underscores. */
  name: string;
  title: string;
  /** For the model: when to use the tool and what to do next. */
  description: string;
  scope: Scope;
  /** Checked against the user's role before the input is validated. The consent page lists these actions. */
  action: Action;
  hints: Hints;
  input: Input;
  output: Output;
  /** For upload tools: when to use this one. Part of the server instructions if the caller can use the tool. */
  uploadGuide?: string;
  /** The input contains a file, so a request may be as long as the body limit. */
  acceptsFile?: true;
  /** A page that the user has to open next. Clients with URL elicitation ask the user to open it. */
  getPageToOpen?(output: z.output<Output>): PageToOpen;
  /** Images to return to the model along with the result. */
  getPreviews?(
    deps: Deps,
    caller: Caller,
    input: z.output<Input>,
    output: z.output<Output>,
  ): Promise<readonly Preview[]>;
  /** Runs before schema validation, so that its error takes precedence over schema issues. */
  precheck?(args: Readonly<Record<string, unknown>>): void;
  run(deps: Deps, caller: Caller, input: z.output<Input>, context: RunContext): Promise<z.output<Output>>;
}

/** A tool of any input and output type. */
export type Tool = Omit<ToolDeclaration<z.ZodObject, z.ZodObject>, "run" | "getPreviews" | "getPageToOpen"> & {
  getPageToOpen?(output: never): PageToOpen;
  run(deps: Deps, caller: Caller, input: never, context: RunContext): Promise<object>;
  getPreviews?(deps: Deps, caller: Caller, input: never, output: never): Promise<readonly Preview[]>;
};

/** Type-checks a declaration against its verb. Does no work at import time. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDeclaration<Input, Output>,
): Tool {
  return tool;
}

/** Returns a tool's entry in `tools/list`. */
export function toListing({ name, title, description, hints, input, output }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input, "input"),
    outputSchema: toOutputSchema(output),
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

interface ObjectSchema {
  properties?: object;
  required?: readonly string[];
}

function toJsonSchema(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  // MCP defaults to JSON Schema 2020-12; omitting `$schema` saves tokens.
  const { $schema: _, ...schemaBody } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: part }) => removeSafeIntegerBounds(part),
  });
  return schemaBody;
}

/**
 * Allows the tool's output or an error. Clients on older SDKs validate structured content even when `isError` is set,
 * and would not show the model an error that does not match.
 */
function toOutputSchema(schema: z.ZodObject): object {
  const { properties, required = [] } = toJsonSchema(schema, "output");
  return { type: "object", properties, anyOf: [{ required }, { required: ["code", "message"] }] };
}

/** Zod adds the safe-integer range to every integer; in a listing it only costs tokens. */
function removeSafeIntegerBounds(part: { minimum?: number; maximum?: number }): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
}
