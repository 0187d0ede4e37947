import { ProtocolError } from "@modelcontextprotocol/server";
import type { Scope } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { authorize } from "#domain/policy.ts";
import { minutes } from "#lib/clock.ts";
import { formatIssues } from "#lib/format-issues.ts";
import { AppError, edgeError, renderError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import type { ChatApp } from "./chat-app/chat-app.ts";
import { errorHints } from "./error-hints.ts";
import type { Exchange, Method, Result } from "./protocol/method.ts";
import { createInvalidParamsError, errorCodes } from "./protocol/messages.ts";
import { createUrlElicitation } from "./url-elicitation.ts";
import { suggestTool } from "./suggest-tool.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { supportsTasks } from "./tasks/tasks-extension.ts";
import { addWrongIdHint, toErrorResult, toSuccessResult } from "./tool-results.ts";
import { toListing, type Tool } from "./define-tool.ts";

export interface ToolMethods {
  list: Method;
  call: Method;
  /** The tools that these scopes allow, without those that only the in-chat app calls; in listing order. */
  listModelTools(scopes: readonly Scope[]): readonly Tool[];
}

/** Implements `tools/list` and `tools/call`. Listings are serialized once, at startup. */
export function createToolMethods(
  deps: Deps,
  productTools: readonly Tool[],
  chatApp: ChatApp | undefined,
  tasks: Tasks,
  log: Log,
): ToolMethods {
  const tools = [...productTools, ...(chatApp?.tools ?? [])];
  const urlElicitation = createUrlElicitation(deps.signer, deps.clock);
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const listingsByTool = new Map(
    tools.map((tool) => [tool, JSON.stringify(toListing(tool, { hasChatApp: chatApp !== undefined }))]),
  );
  const listCache = new Map<string, string>();
  const listAllTools = (scopes: readonly Scope[]) => tools.filter((tool) => scopes.includes(tool.scope));
  const listModelTools = (scopes: readonly Scope[]) => listAllTools(scopes).filter((tool) => !tool.isAppOnly);

  return {
    listModelTools,
    list: {
      // The list only changes with a new server version.
      ttlMs: minutes(5),
      handle(exchange) {
        const { params, caller } = exchange;
        if (params["cursor"] !== undefined)
          throw createInvalidParamsError("unknown cursor; the list has only one page");
        // A host without apps would show the app's tools to the model.
        const canShowApp = chatApp?.isSupportedBy(exchange) ?? false;
        const cacheKey = `${canShowApp} ${caller.scopes.join(" ")}`;
        const listTools = canShowApp ? listAllTools : listModelTools;
        const listJson =
          listCache.get(cacheKey) ??
          `"tools":[${listTools(caller.scopes)
            .map((tool) => listingsByTool.get(tool))
            .join(",")}]`;
        listCache.set(cacheKey, listJson);
        return listJson;
      },
    },
    call: {
      getRequiredScope: ({ name }) => toolsByName.get(name as string)?.scope,
      async handle(exchange) {
        const { name, arguments: args = {} } = exchange.params;
        if (typeof name !== "string") throw createInvalidParamsError("name must be a string");
        if (typeof args !== "object" || args === null || Array.isArray(args))
          throw createInvalidParamsError("arguments must be an object");
        const tool = toolsByName.get(name);
        if (!tool) {
          exchange.countCall();
          const suggestion = suggestTool(
            name,
            listModelTools(exchange.caller.scopes).map((modelTool) => modelTool.name),
          );
          throw new ProtocolError(
            errorCodes.invalidParams,
            `Unknown tool: ${name.slice(0, 100)}${suggestion ? `. Did you mean ${suggestion}?` : ""}`,
          );
        }
        try {
          exchange.countCall();
          return await callTool(tool, args as Args, exchange);
        } catch (error) {
          if (error instanceof ProtocolError) throw error;
          // A cancelled call aborts its own work; that is not a failure to log.
          if (exchange.isCancelled()) throw new ProtocolError(errorCodes.httpError, "Request cancelled");
          return reportError(error, tool, args as Args);
        }
      },
    },
  };

  async function callTool(tool: Tool, args: Args, exchange: Exchange): Promise<Result> {
    const { caller } = exchange;
    authorize(caller, tool.action);
    const rawInput = exchange.parseFull ? parseLongArguments(tool, exchange.parseFull) : args;
    tool.precheck?.(rawInput);
    const parseResult = tool.input.safeParse(rawInput);
    if (!parseResult.success)
      throw edgeError(
        "invalid_input",
        formatIssues(parseResult.error),
        "Compare the input with the tool's input schema.",
      );
    const input = parseResult.data;
    if (tool.runsAsTask && supportsTasks(exchange))
      return tasks.start(exchange, tool.name, (signal) =>
        tool.run(deps, caller, input, { getSignal: () => signal }).then(
          (output) => toSuccessResult(output, []),
          (error: unknown) => {
            if (signal.aborted) throw error;
            return reportError(error, tool, args);
          },
        ),
      );
    const acceptedOutput = tool.getPageToOpen && urlElicitation.findAcceptedOutput(exchange, tool.name);
    if (acceptedOutput) return toSuccessResult(acceptedOutput, []);
    const output = await tool.run(deps, caller, input, exchange);
    if (tool.followUp && supportsTasks(exchange)) return tasks.follow(caller, tool, output);
    const elicitation =
      tool.getPageToOpen && urlElicitation.createRequest(exchange, tool.name, tool.getPageToOpen(output), output);
    if (elicitation) return elicitation;
    return toSuccessResult(output, (await tool.getPreviews?.(deps, caller, input, output)) ?? []);
  }

  /** Logs the error, unless the caller caused it, and returns it as a result. */
  function reportError(error: unknown, { name }: Tool, args: Args): Result {
    const reference = error instanceof AppError ? "" : deps.newId("request");
    const { status, view, isExpected } = renderError(error, reference, errorHints);
    if (!isExpected) log.error({ err: error, reference, tool: name }, "tool failed");
    else if (status >= 500) log.warn({ err: error, tool: name }, "dependency unavailable");
    return toErrorResult(addWrongIdHint(view, args));
  }
}

type Args = Record<string, unknown>;

/** Parses the full arguments of a long message, which only tools that accept a file may receive. */
function parseLongArguments(tool: Tool, parseFull: () => unknown): Args {
  if (!tool.acceptsFile) throw edgeError("invalid_input", `The input is too long for ${tool.name}.`);
  try {
    return (parseFull() as { params: { arguments?: Args } }).params.arguments ?? {};
  } catch {
    throw edgeError("invalid_input", "The input is not valid JSON.");
  }
}
