import { RequestError } from "../upload/client.ts";
import { createBridge, HostError, isRecord, type RequestOptions } from "./bridge.ts";

/** The chat that shows the app: what it can do, and how it looks. */
export interface Host {
  readonly context: HostContext;
  readonly canCallTools: boolean;
  readonly canOpenLinks: boolean;
  /** Whether the host's policy lets the app connect to this URL; undefined if the host declares no policy. */
  mayConnectTo(url: string): boolean | undefined;
  /** Rejects with `RequestError`. */
  callTool(name: string, args: object, options?: RequestOptions): Promise<ToolResult>;
  /** Resolves to false if the host does not open the page. */
  openLink(url: string): Promise<boolean>;
  /** Tells the model about a change, if the host supports it. */
  updateModelContext(text: string): void;
  reportSize(width: number, height: number): void;
}

export interface HostContext {
  theme?: unknown;
  locale?: unknown;
  timeZone?: unknown;
  styles?: unknown;
  safeAreaInsets?: unknown;
}

export interface ToolResult {
  content: readonly unknown[];
  output: Record<string, unknown>;
}

export interface HostEvents {
  onContext(context: HostContext): void;
  onToolInput(args: Record<string, unknown>): void;
  onToolResult(result: Record<string, unknown>): void;
  onToolCancelled(): void;
  onTeardown(): void;
}

const protocolVersion = "2026-01-26";

/** Connects to the host. Hosts show the app only after this. */
export async function connectToHost(events: HostEvents): Promise<Host> {
  let context: HostContext = {};
  const bridge = createBridge({
    onNotification(method, params) {
      if (method === "ui/notifications/tool-input" && isRecord(params["arguments"]))
        events.onToolInput(params["arguments"]);
      if (method === "ui/notifications/tool-result") events.onToolResult(params);
      if (method === "ui/notifications/tool-cancelled") events.onToolCancelled();
      if (method === "ui/notifications/host-context-changed") {
        context = { ...context, ...params };
        events.onContext(context);
      }
    },
    onTeardown: events.onTeardown,
  });
  const result = await bridge.request("ui/initialize", {
    appInfo: { name: "atelier-post", title: "Atelier", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline"] },
    protocolVersion,
  });
  const { hostCapabilities, hostContext } = isRecord(result) ? result : {};
  const capabilities = isRecord(hostCapabilities) ? hostCapabilities : {};
  if (isRecord(hostContext)) context = hostContext;
  events.onContext(context);
  bridge.notify("ui/notifications/initialized", {});

  return {
    get context() {
      return context;
    },
    canCallTools: capabilities["serverTools"] !== undefined,
    canOpenLinks: capabilities["openLinks"] !== undefined,
    mayConnectTo(url) {
      const { csp } = isRecord(capabilities["sandbox"]) ? capabilities["sandbox"] : {};
      if (!isRecord(csp)) return undefined;
      return Array.isArray(csp["connectDomains"]) && csp["connectDomains"].includes(new URL(url).origin);
    },
    async callTool(name, args, options) {
      const toolResult = await bridge
        .request("tools/call", { name, arguments: args }, options)
        .catch((error: unknown) => {
          throw error instanceof HostError ? toRequestError(error) : error;
        });
      if (!isRecord(toolResult)) throw new RequestError(500);
      const { isError, structuredContent, content } = toolResult;
      const output = isRecord(structuredContent) ? structuredContent : {};
      const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
      if (isError === true) throw toToolError(output, blocks);
      return { content: blocks, output };
    },
    async openLink(url) {
      if (!isWebUrl(url)) return false;
      const linkResult = await bridge.request("ui/open-link", { url }).catch(() => ({ isError: true }));
      return isRecord(linkResult) && linkResult["isError"] !== true;
    },
    updateModelContext(text) {
      if (capabilities["updateModelContext"] === undefined) return;
      bridge.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
    },
    reportSize: (width, height) => bridge.notify("ui/notifications/size-changed", { width, height }),
  };
}

export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** The codes of invalid requests and unknown methods, which would fail again. */
const permanentCodes = [-32600, -32601, -32602];

/** Hosts report a lost connection and a rejected call with the same codes. Only the text can tell them apart. */
function toRequestError({ code, message }: HostError): RequestError {
  if (permanentCodes.includes(code)) return new RequestError(404, { code: "unsupported", detail: message });
  const isRejected = /denied|declined|reject|not allowed|permission|unknown tool/i.test(message);
  return isRejected ? new RequestError(403, { code: "unsupported", detail: message }) : new RequestError(0);
}

/** The HTTP status of the error codes that the uploader handles specially. */
const statusByCode: Record<string, number> = {
  invalid_input: 400,
  forbidden: 403,
  not_found: 404,
  upload_expired: 410,
  too_large: 413,
  inline_too_large_use_presign: 413,
  unsupported_type: 415,
  type_mismatch: 415,
  rate_limited: 429,
  internal: 500,
  storage_unavailable: 503,
};

function toToolError(output: Record<string, unknown>, blocks: readonly unknown[]): RequestError {
  const [, codeFromText, messageFromText] = /^(\w+): (.*)$/s.exec(readFirstText(blocks)) ?? [];
  const code = typeof output["code"] === "string" ? output["code"] : (codeFromText ?? "");
  const detail = typeof output["message"] === "string" ? output["message"] : messageFromText;
  // The hints of tool errors are for models, so they are not shown.
  return new RequestError(statusByCode[code] ?? 409, { code, ...(detail ? { detail } : {}) });
}

function readFirstText(blocks: readonly unknown[]): string {
  const block = blocks.find((candidate) => isRecord(candidate) && candidate["type"] === "text");
  return isRecord(block) ? String(block["text"]) : "";
}
