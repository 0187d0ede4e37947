import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { IncomingHttpHeaders } from "node:http";
import type { Message, Rejection } from "./protocol/messages.ts";
import type { Method } from "./protocol/method.ts";
import type { Tasks } from "./tasks/tasks.ts";

/** Additional features of the endpoint, such as the fixtures of the conformance suite. The product has none. */
export interface Extension {
  capabilities: ServerCapabilities;
  /** Adds methods, or wraps and replaces those of the product. */
  extendMethods(methods: Map<string, Method>, startTask: Tasks["start"]): void;
  /** Receives each message before its method runs, and also the responses of clients, which no method handles. */
  receive(message: Message, request: ExtensionRequest): Rejection | undefined;
}

export interface ExtensionRequest {
  /** The signed session id; legacy versions only. */
  sessionId: string | undefined;
  headers: IncomingHttpHeaders;
}
