import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { Deps } from "#domain/ports/deps.ts";
import { minutes } from "#lib/clock.ts";
import type { Tool } from "../define-tool.ts";
import type { Exchange, Method } from "../protocol/method.ts";
import { respondToResource, uriParams } from "../post-resources.ts";
import type { SessionIdCodec } from "../transport/session-id.ts";
import { appTools } from "./app-tools.ts";
import { readClientCapabilities } from "../protocol/client-capabilities.ts";
import { appsExtension, chatAppMimeType, chatAppUri, declaresApps } from "./apps-extension.ts";

/** What the in-chat app adds to the endpoint. */
export interface ChatApp {
  capabilities: ServerCapabilities;
  tools: readonly Tool[];
  /** Whether the client can show in-chat apps. */
  isSupportedBy(exchange: Exchange): boolean;
  /** Adds the app's document to `resources/read`. */
  addTo(methods: Map<string, Method>): void;
}

/** The document only changes with a new server version. */
const documentTtlMs = minutes(5);

/** `html` is the app's document, the same for all users and without data; undefined if it is not built. */
export function createChatApp(
  html: string | undefined,
  { files }: Pick<Deps, "files">,
  sessionIdCodec: SessionIdCodec,
): ChatApp | undefined {
  if (html === undefined) return undefined;
  const resultJson = `"contents":[${JSON.stringify({
    uri: chatAppUri,
    mimeType: chatAppMimeType,
    text: html,
    // Everything is inlined; the app only connects to the store, to send parts of files.
    _meta: { ui: { csp: { connectDomains: [files.origin] }, prefersBorder: true } },
  })}]`;
  return {
    capabilities: { extensions: { [appsExtension]: {} } },
    tools: appTools,
    // Legacy clients declare their capabilities when a session starts, modern clients with every request.
    isSupportedBy: ({ era, params, sessionId }) =>
      era === "modern"
        ? declaresApps(readClientCapabilities(params))
        : sessionId !== undefined && sessionIdCodec.decode(sessionId)?.supportsApps === true,
    addTo(methods) {
      const readMethod = methods.get("resources/read");
      if (!readMethod) return;
      methods.set("resources/read", {
        ...readMethod,
        getTtlMs: ({ uri }) => (uri === chatAppUri ? documentTtlMs : undefined),
        handle: (exchange) =>
          exchange.params["uri"] === chatAppUri
            ? respondToResource(exchange, uriParams, async () => resultJson)
            : readMethod.handle(exchange),
      });
    },
  };
}
