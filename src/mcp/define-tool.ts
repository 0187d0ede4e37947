import { z } from "zod";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Preview } from "#domain/assets/thumbnails.ts";
import type { Deps } from "#domain/deps.ts";
import type { Action } from "#domain/policy.ts";
import type { PageToOpen } from "./url-elicitation.ts";

/** What a client may assume of a tool before it calls it. Every tool says all four. */
export interface Hints {
  /** Changes nothing. */
  readOnly: boolean;
  /** May remove or overwrite what was there. */
  destructive: boolean;
  /** Calling it again with the same input changes nothing more. */
  idempotent: boolean;
  /** Reaches beyond this server. */
  openWorld: boolean;
}

export interface RunContext {
  /** Aborted when the client has gone or has cancelled the call. */
  readonly signal: AbortSignal;
}

/** A tool, as its file declares it. `endpoint.ts` and `toolbox.ts` do the rest, once for all of them. */
export interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** Also the name of its file. */
  name: string;
  title: string;
  /** For a model: when to use it, what to do next, what it costs. */
  description: string;
  scope: Scope;
  /** What the person's role must allow. Checked before the input, and the source of what the consent page says. */
  action: Action;
  hints: Hints;
  input: Input;
  output: Output;
  /** A way to bring a file in: when to take this one. Stands in the server's instructions while the tool is listed. */
  uploadGuide?: string;
  /** Takes a whole file in its input, so that its messages may be as long as the body cap allows. */
  acceptsFile?: true;
  /** A page that the person has to open next: clients that can are told to ask them to. */
  askToOpen?(output: z.output<Output>): PageToOpen;
  /** Pictures that the model sees beside the result. */
  previews?(deps: Deps, caller: Caller, input: z.output<Input>, output: z.output<Output>): Promise<readonly Preview[]>;
  /** Judged before the input is held against its schema, which may fail in other places. Throws the tool's refusal. */
  precheck?(args: Readonly<Record<string, unknown>>): void;
  run(deps: Deps, caller: Caller, input: z.output<Input>, context: RunContext): Promise<z.output<Output>>;
}

/** Any tool, once its schemas are only needed to check and to show. */
export type Tool = Omit<ToolDeclaration<z.ZodObject, z.ZodObject>, "run" | "previews" | "askToOpen"> & {
  askToOpen?(output: never): PageToOpen;
  run(deps: Deps, caller: Caller, input: never, context: RunContext): Promise<object>;
  previews?(deps: Deps, caller: Caller, input: never, output: never): Promise<readonly Preview[]>;
};

/** Checks a declaration against its verb; does nothing else, so that importing a tool is free. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDeclaration<Input, Output>,
): Tool {
  return tool;
}

/** A tool as `tools/list` shows it. */
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
  // 2020-12 is what MCP assumes where no dialect is named; naming it would only cost the model tokens.
  const { $schema: _, ...schemaBody } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: part }) => removeSafeIntegerBounds(part),
  });
  return schemaBody;
}

/**
 * What a tool answers, or the error in its place: clients of the old SDK hold structured content against
 * this schema even where `isError` is set, and would hide the error from the model if it did not fit.
 */
function toOutputSchema(schema: z.ZodObject): object {
  const { properties, required = [] } = toJsonSchema(schema, "output");
  return { type: "object", properties, anyOf: [{ required }, { required: ["code", "message"] }] };
}

/** An integer is written as one; that it is below 2^53 says nothing. */
function removeSafeIntegerBounds(part: { minimum?: number; maximum?: number }): void {
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
}
