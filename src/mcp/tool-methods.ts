import { ProtocolError } from "@modelcontextprotocol/server";
import type { Scope } from "#domain/caller.ts";
import type { Preview } from "#domain/assets/thumbnails.ts";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { Deps } from "#domain/deps.ts";
import { authorize } from "#domain/policy.ts";
import { minutes } from "#lib/clock.ts";
import { formatIssues } from "#lib/format-issues.ts";
import { AppError, edgeError, renderError, type ErrorView } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { errorHints } from "./error-hints.ts";
import type { Exchange, Method, RawTool, Result } from "./protocol/method.ts";
import { errorCodes } from "./protocol/messages.ts";
import { createUrlElicitation, type UrlElicitation } from "./url-elicitation.ts";
import { toListing, type Tool } from "./define-tool.ts";

export interface ToolMethods {
  list: Method;
  call: Method;
  /** The tools that these scopes allow, in listing order. */
  listAllowed(scopes: readonly Scope[]): readonly Tool[];
}

export interface ToolMethodsOptions {
  tools: readonly Tool[];
  rawTools: readonly RawTool[];
  deps: Deps;
  log: Log;
  checkCallLimit: CallLimitCheck;
  /** Called for every tool call that passes the rate limit. */
  recordCall: (grantId: string) => void;
}

/** Implements `tools/list` and `tools/call`. Listings are serialized once, at startup. */
export function createToolMethods({
  tools,
  rawTools,
  deps,
  log,
  checkCallLimit,
  recordCall,
}: ToolMethodsOptions): ToolMethods {
  const urlElicitation = createUrlElicitation(deps.signer, deps.clock);
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const rawToolsByName = new Map(rawTools.map((tool) => [tool.listing.name, tool]));
  const listingsByTool = new Map(tools.map((tool) => [tool, JSON.stringify(toListing(tool))]));
  const rawListings = rawTools.map((tool) => JSON.stringify(tool.listing));
  const listCache = new Map<string, string>();
  const listAllowed = (scopes: readonly Scope[]) => tools.filter((tool) => scopes.includes(tool.scope));

  return {
    listAllowed,
    list: {
      // The list only changes with a new server version.
      ttlMs: minutes(5),
      handle({ params, caller: { scopes } }) {
        if (params["cursor"] !== undefined)
          throw new ProtocolError(
            errorCodes.invalidParams,
            "Invalid params: unknown cursor; the list has only one page",
          );
        const key = scopes.join(" ");
        const listJson =
          listCache.get(key) ??
          `"tools":[${[...listAllowed(scopes).map((tool) => listingsByTool.get(tool)), ...rawListings].join(",")}]`;
        listCache.set(key, listJson);
        return listJson;
      },
    },
    call: {
      getRequiredScope: ({ name }) => toolsByName.get(name as string)?.scope,
      async handle(exchange) {
        const { name, arguments: args = {} } = exchange.params;
        if (typeof name !== "string")
          throw new ProtocolError(errorCodes.invalidParams, "Invalid params: name must be a string");
        if (typeof args !== "object" || args === null || Array.isArray(args))
          throw new ProtocolError(errorCodes.invalidParams, "Invalid params: arguments must be an object");
        const tool = toolsByName.get(name);
        if (!tool) {
          const rawTool = rawToolsByName.get(name);
          if (rawTool) return rawTool.call(exchange, args as Args);
          throw new ProtocolError(errorCodes.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
        }
        try {
          const limitError = checkCallLimit(exchange.caller.user.id);
          if (limitError) throw limitError;
          if (exchange.caller.grantId !== undefined) recordCall(exchange.caller.grantId);
          return await callTool(deps, urlElicitation, tool, args as Args, exchange);
        } catch (error) {
          if (error instanceof ProtocolError) throw error;
          // A cancelled call aborts its own work; that is not a failure to log.
          if (exchange.isCancelled) throw new ProtocolError(errorCodes.httpError, "Request cancelled");
          const reference = error instanceof AppError ? "" : deps.newId("request");
          const { status, view, isExpected } = renderError(error, reference, errorHints);
          if (!isExpected) log.error({ err: error, reference, tool: name }, "tool failed");
          else if (status >= 500) log.warn({ err: error, tool: name }, "dependency unavailable");
          return toErrorResult(view);
        }
      },
    },
  };
}

type Args = Record<string, unknown>;

async function callTool(
  deps: Deps,
  urlElicitation: UrlElicitation,
  tool: Tool,
  args: Args,
  exchange: Exchange,
): Promise<Result> {
  const { caller } = exchange;
  authorize(caller, tool.action);
  const rawInput = exchange.parseFull ? parseLongArguments(tool, exchange.parseFull) : args;
  tool.precheck?.(rawInput);
  const parsed = tool.input.safeParse(rawInput);
  if (!parsed.success)
    throw edgeError("invalid_input", formatIssues(parsed.error), "Compare the input with the tool's input schema.");
  const acceptedOutput = tool.getPageToOpen && urlElicitation.findAcceptedOutput(exchange, tool.name);
  if (acceptedOutput) return toSuccessResult(acceptedOutput, []);
  const output = await tool.run(deps, caller, parsed.data as never, exchange);
  const elicitation =
    tool.getPageToOpen &&
    urlElicitation.createRequest(exchange, tool.name, tool.getPageToOpen(output as never), output);
  if (elicitation) return elicitation;
  return toSuccessResult(output, (await tool.getPreviews?.(deps, caller, parsed.data as never, output as never)) ?? []);
}

/** Parses the full arguments of a long message, which only tools that accept a file may receive. */
function parseLongArguments(tool: Tool, parseFull: () => unknown): Args {
  if (!tool.acceptsFile) throw edgeError("invalid_input", `The input is too long for ${tool.name}.`);
  try {
    return (parseFull() as { params: { arguments?: Args } }).params.arguments ?? {};
  } catch {
    throw edgeError("invalid_input", "The input is not valid JSON.");
  }
}

/** Serializes the output once, for both the structured content and the text block. */
function toSuccessResult(output: object, previews: readonly Preview[]): string {
  const json = JSON.stringify(output);
  const images = previews.map(({ mimeType, content }) => ({
    type: "image",
    data: Buffer.from(content).toString("base64"),
    mimeType,
  }));
  const imagesJson = images.map((image) => `,${JSON.stringify(image)}`).join("");
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${imagesJson}],"structuredContent":${json}`;
}

function toErrorResult(view: ErrorView): string {
  const text = view.hint ? `${view.code}: ${view.message} ${view.hint}` : `${view.code}: ${view.message}`;
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${JSON.stringify(view)},"isError":true`;
}
