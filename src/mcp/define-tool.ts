import type { z } from "zod";
import type { Caller, Scope } from "#domain/caller.ts";
import type { Preview } from "#domain/assets/thumbnails.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Action } from "#domain/policy.ts";
import { chatAppUri } from "./chat-app/apps-extension.ts";
import { toInputSchema, toOutputSchema } from "./tool-schemas.ts";
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
  /** Returns the signal that aborts when the client disconnects or cancels the call. */
  getSignal(): AbortSignal;
}

/** A tool as its file declares it. `tool-methods.ts` lists and calls all of them. */
export interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** Matches the file name, with underscores. */
  name: string;
  title: string;
  /** For the model: when to use the tool and what to do next. */
  description: string;
  /** Checked against the user's role before the input is validated. The consent page lists these actions. */
  action: Action;
  hints: Hints;
  /** Additional `_meta` of the listing, which some hosts read. */
  meta?: Readonly<Record<string, unknown>>;
  input: Input;
  output: Output;
  /**
   * For upload tools: when to use this one. The text starts with where the file is. Part of the server instructions if
   * the caller can use the tool.
   */
  uploadGuide?: string;
  /** The input contains a file, so requests may be long. */
  acceptsFile?: true;
  /** Hosts with in-chat apps show the post in the app. */
  showsChatApp?: true;
  /** Only the in-chat app calls it: hidden from models. */
  isAppOnly?: true;
  /** A page that the user has to open next. Clients with URL elicitation ask the user to open it. */
  getPageToOpen?(output: z.output<Output>): PageToOpen;
  /** Images to return to the model along with the result. */
  getPreviews?(
    deps: Deps,
    caller: Caller,
    input: z.output<Input>,
    output: z.output<Output>,
  ): Promise<readonly Preview[]>;
  /** The call takes long, so it runs as a task for clients that support tasks (SEP-2663). */
  runsAsTask?: true;
  /** The call starts work that takes long, which a task follows for clients that support tasks (SEP-2663). */
  followUp?: FollowUp<z.output<Output>>;
  /** Runs before schema validation, so that its error takes precedence over those of the schema. */
  precheck?(args: Readonly<Record<string, unknown>>): void;
  run(deps: Deps, caller: Caller, input: z.output<Input>, context: RunContext): Promise<z.output<Output>>;
}

export interface FollowUp<Output> {
  /** The current output, and whether it is final. */
  getProgress(deps: Deps, caller: Caller, output: Output): Promise<{ output: Output; hasEnded: boolean }>;
  /** Cancels what has not started yet. */
  cancel(deps: Deps, caller: Caller, output: Output): Promise<void>;
}

/** A tool of any input and output type. */
export interface Tool extends ToolDeclaration<z.ZodObject, z.ZodObject> {
  scope: Scope;
}

/** Type-checks a declaration against its verb, and adds the scope that it requires. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDeclaration<Input, Output>,
): Tool {
  return { ...tool, scope: tool.hints.readOnly ? "studio:read" : "studio:write" };
}

/** MCP Apps, tool metadata. Some hosts read only the older key. */
function describeUi({ showsChatApp, isAppOnly }: Tool): object {
  if (isAppOnly) return { ui: { visibility: ["app"] } };
  return showsChatApp ? { ui: { resourceUri: chatAppUri }, "ui/resourceUri": chatAppUri } : {};
}

/** Returns a tool's entry in `tools/list`. */
export function toListing(tool: Tool, { hasChatApp } = { hasChatApp: true }): object {
  const { name, title, description, hints, input, output } = tool;
  const meta = { ...(hasChatApp ? describeUi(tool) : {}), ...tool.meta };
  return {
    name,
    title,
    description,
    inputSchema: toInputSchema(input),
    outputSchema: toOutputSchema(output),
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}
