import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import type { Tool } from "../define-tool.ts";
import type { Exchange, Method } from "../protocol/method.ts";
import { createResponder, readParams } from "../post-resources.ts";
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
  /** Adds the app's document to `resources/read`. `startCall` counts the call; it throws if the user makes too many. */
  addTo(methods: Map<string, Method>, startCall: (caller: Caller) => void): void;
}

/** It only changes with a new server version. */
const documentTtl = minutes(5);

/** The document is the same for everyone and contains no data. Undefined if it is not built. */
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
    // Legacy clients declare capabilities once, when a session starts; later versions with every request.
    isSupportedBy: ({ era, params, sessionId }) =>
      era === "modern"
        ? declaresApps(readClientCapabilities(params))
        : sessionId !== undefined && sessionIdCodec.decode(sessionId)?.supportsApps === true,
    addTo(methods, startCall) {
      const respond = createResponder(startCall);
      const readMethod = methods.get("resources/read");
      if (!readMethod) return;
      methods.set("resources/read", {
        ...readMethod,
        getTtlMs: ({ uri }) => (uri === chatAppUri ? documentTtl : undefined),
        handle: (exchange) =>
          exchange.params["uri"] === chatAppUri
            ? respond(exchange, readParams, async () => resultJson)
            : readMethod.handle(exchange),
      });
    },
  };
}
