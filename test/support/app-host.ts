import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { listenLocally } from "./local-server.ts";
import { appsMeta, callModern } from "./mcp.ts";

export interface AppHostOptions {
  /** The MCP server that the app belongs to. */
  url: string;
  token: string;
  /** The tool call that shows the app. */
  tool: { name: string; arguments: Record<string, unknown> };
  /** By default, the policy is `connect-src 'none'`, as in hosts that ignore what an app declares. */
  appliesDeclaredCsp?: boolean;
  /** Replaces the capabilities that the host declares. */
  capabilities?: Record<string, unknown>;
  context?: Record<string, unknown>;
  /** Tools that the host does not let the app call. */
  hiddenTools?: RegExp;
  /** Runs before the host forwards a call of the app. If it resolves to false, the connection breaks instead. */
  onAppCall?: (tool: string) => Promise<boolean>;
  /** Changes the result of the tool before the app receives it. */
  changeResult?: (result: ToolResult) => ToolResult;
}

export interface ToolResult {
  structuredContent: Record<string, unknown>;
}

interface ListedTool {
  name: string;
  _meta?: { ui?: { resourceUri?: string; visibility?: string[] } };
}

interface AppResource {
  text: string;
  mimeType: string;
  _meta: { ui: { csp: { connectDomains: string[] } } };
}

export interface AppHost {
  /** The host's page. Its origin differs from the MCP server's. */
  url: string;
  resource: AppResource;
  close(): Promise<void>;
}

/**
 * A strict host of in-chat apps: it calls the tool, reads the app that the tool declares, and shows it in a frame with
 * an opaque origin and the narrowest policy that the specification allows, hidden until it is initialized.
 */
export async function startAppHost(options: AppHostOptions): Promise<AppHost> {
  const caller = { url: options.url, token: options.token };
  const send = async <T>(method: string, params: Record<string, unknown>): Promise<T> =>
    (await callModern(caller, method, { ...params, _meta: appsMeta })).json.result as never;
  const { tools } = await send<{ tools: ListedTool[] }>("tools/list", {});
  const uri = tools.find(({ name }) => name === options.tool.name)?._meta?.ui?.resourceUri;
  if (uri === undefined) throw new Error(`${options.tool.name} declares no app`);
  const { contents } = await send<{ contents: [AppResource] }>("resources/read", { uri });
  const [resource] = contents;
  const toolResult = await send<ToolResult>("tools/call", options.tool);
  const { connectDomains } = resource._meta.ui.csp;
  const connectSources = options.appliesDeclaredCsp ? connectDomains.join(" ") : "'none'";
  const settings = {
    capabilities: options.capabilities ?? { serverTools: {}, openLinks: {}, updateModelContext: { text: {} } },
    context: { theme: "light", locale: "en-GB", timeZone: "Europe/London", ...options.context },
    toolInput: options.tool.arguments,
    toolResult: options.changeResult?.(toolResult) ?? toolResult,
    appTools: tools
      .filter(({ _meta }) => _meta?.ui?.visibility?.includes("app") ?? true)
      .map(({ name }) => name)
      .filter((name) => !options.hiddenTools?.test(name)),
  };
  const pageScript = await readFile(join(import.meta.dirname, "app-host-page.js"), "utf8");
  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url === "/rpc") {
      const { method, params } = JSON.parse(await text(req)) as { method: string; params: Record<string, unknown> };
      if ((await options.onAppCall?.(String(params["name"]))) === false) return void res.destroy();
      res.setHeader("content-type", "application/json").end(JSON.stringify(await send(method, params)));
    } else if (req.url === "/app") {
      res.setHeader(
        "content-security-policy",
        `sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src ${connectSources}; require-trusted-types-for 'script'`,
      );
      res.setHeader("content-type", "text/html; charset=utf-8").end(resource.text);
    } else if (req.url === "/") {
      const settingsJson = JSON.stringify(settings).replaceAll("<", "\\u003c");
      res
        .setHeader("content-type", "text/html; charset=utf-8")
        .end(
          `<!doctype html><html lang="en"><title>Chat</title><main><iframe title="App" sandbox="allow-scripts" style="visibility:hidden;width:600px;height:200px"></iframe></main>` +
            `<script type="application/json" id="settings">${settingsJson}</script><script>${pageScript}</script>`,
        );
    } else res.writeHead(404).end();
  }
  // A call that the app makes at the end of a test can fail because the server closes.
  const server = createServer((req, res) => void respond(req, res).catch(() => res.destroy()));
  const { url, close } = await listenLocally(server);
  return { url: `${url}/`, resource, close };
}
