import { ProtocolError } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Scope } from "#domain/caller.ts";
import type { Preview } from "#domain/assets/thumbnails.ts";
import type { CountCall } from "#domain/access/call-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { authorize } from "#domain/policy.ts";
import { minutes } from "#lib/clock.ts";
import { AppError, renderError, type ErrorView, edgeError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { errorHints } from "./error-hints.ts";
import type { Exchange, Method, RawTool, Result } from "./exchange.ts";
import { errorCodes } from "./messages.ts";
import { createAskToOpen, type AskToOpen } from "./ask-to-open.ts";
import { listing, type Tool } from "./tool.ts";

export interface Toolbox {
  list: Method;
  call: Method;
  /** The tools these scopes allow, in the order of the table. */
  allowed(scopes: readonly Scope[]): readonly Tool[];
}

export interface ToolboxOptions {
  tools: readonly Tool[];
  rawTools: readonly RawTool[];
  deps: Deps;
  log: Log;
  countCall: CountCall;
  /** Told of every call that is let through, by the approval it came under. */
  noteCall: (grantId: string) => void;
}

/** The tools as the protocol sees them. Schemas and lists are made here, once, at start. */
export function createToolbox({ tools, rawTools, deps, log, countCall, noteCall }: ToolboxOptions): Toolbox {
  const asking = createAskToOpen(deps.signer, deps.clock);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const rawByName = new Map(rawTools.map((tool) => [tool.listing.name, tool]));
  const listed = new Map(tools.map((tool) => [tool, JSON.stringify(listing(tool))]));
  const rawListed = rawTools.map((tool) => JSON.stringify(tool.listing));
  const lists = new Map<string, string>();
  const allowed = (scopes: readonly Scope[]) => tools.filter((tool) => scopes.includes(tool.scope));

  return {
    allowed,
    list: {
      // Changes with the server's version only, never under an open connection.
      ttlMs: minutes(5),
      answer({ params, caller: { scopes } }) {
        if (params["cursor"] !== undefined)
          throw new ProtocolError(
            errorCodes.invalidParams,
            "Invalid params: the list has one page; there is no such cursor",
          );
        const key = scopes.join(" ");
        const made =
          lists.get(key) ?? `"tools":[${[...allowed(scopes).map((tool) => listed.get(tool)), ...rawListed].join(",")}]`;
        lists.set(key, made);
        return made;
      },
    },
    call: {
      scopeFor: ({ name }) => byName.get(name as string)?.scope,
      async answer(exchange) {
        const { name, arguments: args = {} } = exchange.params;
        if (typeof name !== "string")
          throw new ProtocolError(errorCodes.invalidParams, "Invalid params: name must be a string");
        if (typeof args !== "object" || args === null || Array.isArray(args))
          throw new ProtocolError(errorCodes.invalidParams, "Invalid params: arguments must be an object");
        const tool = byName.get(name);
        if (!tool) {
          const raw = rawByName.get(name);
          if (raw) return raw.call(exchange, args as Args);
          throw new ProtocolError(errorCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
        }
        try {
          const refused = countCall(exchange.caller.user.id);
          if (refused) throw refused;
          if (exchange.caller.grantId !== undefined) noteCall(exchange.caller.grantId);
          return await run(deps, asking, tool, args as Args, exchange);
        } catch (error) {
          if (error instanceof ProtocolError) throw error;
          // Nobody waits for the answer, and what broke off the work is no failure of it.
          if (exchange.cancelled) throw new ProtocolError(errorCodes.httpRefusal, "Request cancelled");
          const reference = error instanceof AppError ? "" : deps.newId("request");
          const { status, view, known } = renderError(error, reference, errorHints);
          if (!known) log.error({ err: error, reference, tool: name }, "a tool failed");
          else if (status >= 500) log.warn({ err: error, tool: name }, "something we need did not serve");
          return failure(view);
        }
      },
    },
  };
}

type Args = Record<string, unknown>;

async function run(deps: Deps, asking: AskToOpen, tool: Tool, args: Args, exchange: Exchange): Promise<Result> {
  const { caller } = exchange;
  authorize(caller, tool.action);
  const given = exchange.whole ? readLong(tool, exchange.whole) : args;
  tool.judgeFirst?.(given);
  const parsed = tool.input.safeParse(given);
  if (!parsed.success)
    throw edgeError("invalid_input", describe(parsed.error), "Compare the input with the tool's input schema.");
  const answered = tool.askToOpen && asking.answered(exchange, tool.name);
  if (answered) return success(answered, []);
  const output = await tool.run(deps, caller, parsed.data as never, exchange);
  const question = tool.askToOpen && asking.ask(exchange, tool.name, tool.askToOpen(output as never), output);
  if (question) return question;
  return success(output, (await tool.previews?.(deps, caller, parsed.data as never, output as never)) ?? []);
}

/** The arguments of a long message: only a tool that takes a file has a use for them. */
function readLong(tool: Tool, whole: () => unknown): Args {
  if (!tool.takesFile) throw edgeError("invalid_input", `The input is longer than any that ${tool.name} takes.`);
  try {
    return (whole() as { params: { arguments?: Args } }).params.arguments ?? {};
  } catch {
    throw edgeError("invalid_input", "The input is not JSON.");
  }
}

/** The structured content is written once and stands in the answer twice: as it is, and as text. */
function success(output: object, previews: readonly Preview[]): string {
  const json = JSON.stringify(output);
  const pictures = previews.map(({ mimeType, content }) => ({
    type: "image",
    data: Buffer.from(content).toString("base64"),
    mimeType,
  }));
  const rest = pictures.map((picture) => `,${JSON.stringify(picture)}`).join("");
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${rest}],"structuredContent":${json}`;
}

function failure(view: ErrorView): string {
  const text = view.hint ? `${view.code}: ${view.message} ${view.hint}` : `${view.code}: ${view.message}`;
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${JSON.stringify(view)},"isError":true`;
}

const shownIssues = 5;

function describe(error: z.ZodError): string {
  const shown = error.issues.slice(0, shownIssues).map(({ path, message }) => {
    const where = path.map(String).join(".");
    return (where === "" ? message : `${where}: ${message}`).slice(0, 200);
  });
  const more = error.issues.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}
