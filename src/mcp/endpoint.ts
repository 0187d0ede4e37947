import { InMemoryServerEventBus, type Implementation, type ServerCapabilities } from "@modelcontextprotocol/server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator } from "#domain/access/authenticator.ts";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { Deps } from "#domain/deps.ts";
import { AppError } from "#lib/errors.ts";
import type { Log, RequestLogContext } from "#lib/log.ts";
import type { Signer } from "#lib/signed-token.ts";
import {
  createBatchWriter,
  createHttpWriter,
  respondEarly,
  toErrorJson,
  type ResponseHeaders,
} from "./transport/response.ts";
import { checkBodyHeaders, createBodyReader, parseBody } from "./transport/read-body.ts";
import { parseBearerToken, createChallenges } from "./transport/bearer-challenge.ts";
import type { Extension, Method } from "./protocol/method.ts";
import { buildInstructions } from "./instructions.ts";
import { createResultMetaFormatter, createLifecycleMethods } from "./protocol/lifecycle-methods.ts";
import { createSubscriptions } from "./protocol/subscriptions.ts";
import {
  errorCodes,
  modernVersion,
  createRejection,
  type Batch,
  type Message,
  type Rejection,
} from "./protocol/messages.ts";
import { createDispatcher, type MessageContext } from "./protocol/dispatcher.ts";
import { createSessionIdCodec } from "./transport/session-id.ts";
import type { Tool } from "./define-tool.ts";
import { createToolMethods } from "./tool-methods.ts";
import { readMessage } from "./protocol/read-message.ts";

export interface McpEndpointOptions {
  deps: Deps;
  authenticate: Authenticator;
  tools: readonly Tool[];
  signer: Signer;
  log: Log;
  checkCallLimit: CallLimitCheck;
  /** Called for every tool call that passes the rate limit. */
  recordCall: (grantId: string) => void;
  version: string;
  extension?: Extension | undefined;
}

export interface McpEndpoint {
  /**
   * Serves one request to `/mcp`; the HTTP entry point has already checked Host and Origin and handled OPTIONS.
   * Never rejects. Fills `logContext` as early as possible, because a client may disconnect at any time.
   */
  handle(req: IncomingMessage, res: ServerResponse, logContext?: RequestLogContext): Promise<void>;
  /** Ends long-lived streams with a final result, for shutdown. */
  close(): void;
}

export function createMcpEndpoint({
  deps,
  authenticate,
  tools,
  signer,
  log,
  checkCallLimit,
  recordCall,
  version,
  extension,
}: McpEndpointOptions): McpEndpoint {
  const serverInfo: Implementation = { name: "atelier", title: "Atelier", version, websiteUrl: deps.base };
  const capabilities: ServerCapabilities = { tools: {}, ...extension?.capabilities };
  const sessionIdCodec = createSessionIdCodec(signer, deps.clock, deps.newSecret);
  const challenges = createChallenges(deps.base);
  const toolMethods = createToolMethods({
    tools,
    rawTools: extension?.tools ?? [],
    deps,
    log,
    checkCallLimit,
    recordCall,
  });
  const subscriptions = createSubscriptions(capabilities, extension?.events ?? new InMemoryServerEventBus());
  const methods = new Map<string, Method>([
    ...createLifecycleMethods({
      serverInfo,
      capabilities,
      sessionIdCodec,
      deps,
      getInstructions: (caller) => buildInstructions(caller, toolMethods.listAllowed(caller.scopes), deps.base),
    }),
    ["tools/list", toolMethods.list],
    ["tools/call", toolMethods.call],
    ["subscriptions/listen", subscriptions.method],
    ...(extension?.methods ?? []),
  ]);
  const formatResultMeta = createResultMetaFormatter(serverInfo);
  const dispatcher = createDispatcher({ methods, formatResultMeta, log, newId: deps.newId });
  const readBody = createBodyReader();

  return {
    async handle(req, res, logContext = {}) {
      try {
        await handleRequest(req, res, logContext);
      } catch (error) {
        if (!req.complete && req.destroyed) return;
        respondWithRejection(req, res, toRejection(error));
      }
    },
    close: () => subscriptions.close(),
  };

  async function handleRequest(
    req: IncomingMessage,
    res: ServerResponse,
    logContext: RequestLogContext,
  ): Promise<void> {
    const token = parseBearerToken(req.headers.authorization);
    if (token === undefined) return respondUnauthorized(req, res, challenges.missingToken, "unauthorized");
    // 2026-07-28 has no sessions, so the session header is only read for older protocol versions.
    const isModern = req.headers["mcp-protocol-version"] === modernVersion;
    const sessionId = isModern ? undefined : getHeader(req, "mcp-session-id");
    const session = sessionId === undefined ? undefined : sessionIdCodec.decode(sessionId);
    const authentication = token === "" ? undefined : await authenticate(token, session?.studioId);
    if (!authentication) return respondUnauthorized(req, res, challenges.invalidToken, "invalid_token");
    logContext.userId = authentication.user.id;
    logContext.clientId = authentication.client.id;
    const { membership, nextSessionMembership } = authentication;
    if (!membership || !nextSessionMembership) return respondEarly(req, res, 403, "text/plain", "No studio membership");
    logContext.studioId = membership.studio.id;
    const isForeignSession = session?.grantId !== authentication.grantId;
    if (sessionId !== undefined && (isForeignSession || authentication.isSessionStudioDeleted)) {
      return respondWithRejection(req, res, createRejection(404, errorCodes.sessionNotFound, "Session not found"));
    }
    if (req.method !== "POST")
      return respondWithRejection(req, res, createRejection(405, errorCodes.httpError, "Method not allowed."), {
        allow: "POST",
      });
    const rejection = checkBodyHeaders(req);
    if (rejection) return respondWithRejection(req, res, rejection);

    // Every check has passed: a client that sent `Expect: 100-continue` may now send its body.
    if (req.headers.expect !== undefined) res.writeContinue();
    const body = await readBody(req, authentication.user.id);
    if ("kind" in body) return respondWithRejection(req, res, body);
    const parsed = parseBody(body);
    if (parsed.kind === "rejection") return respondWithRejection(req, res, parsed);
    const message = readMessage(
      parsed.value,
      {
        protocolVersionHeader: getHeader(req, "mcp-protocol-version"),
        mcpMethodHeader: getHeader(req, "mcp-method"),
        mcpNameHeader: getHeader(req, "mcp-name"),
      },
      session?.protocolVersion,
    );
    if (message.kind === "rejection") return respondWithRejection(req, res, message);
    // `parseFull` is set only for long messages, and can read the arguments of a single call only.
    if (message.kind === "batch" && parsed.parseFull)
      return respondWithRejection(
        req,
        res,
        createRejection(
          400,
          errorCodes.invalidRequest,
          "Bad Request: the batch is too long; send its messages one at a time",
        ),
      );
    await serveMessage(
      req,
      res,
      message,
      {
        authentication,
        memberships: { current: membership, nextSession: nextSessionMembership },
        sessionId,
        parseFull: parsed.parseFull,
      },
      logContext,
    );
  }

  async function serveMessage(
    req: IncomingMessage,
    res: ServerResponse,
    message: Message | Batch,
    context: MessageContext,
    logContext: RequestLogContext,
  ): Promise<void> {
    const messages = message.kind === "batch" ? message.messages : [message];
    const requests = messages.filter((item) => item.kind === "request");
    for (const { method, params, id } of requests) {
      logContext.rpcMethod = method.slice(0, 100);
      if (method === "tools/call" && typeof params["name"] === "string") logContext.tool = params["name"].slice(0, 100);
      const requiredScope = methods.get(method)?.getRequiredScope?.(params);
      const { scopes } = context.authentication;
      if (requiredScope !== undefined && !scopes.includes(requiredScope)) {
        const text = toErrorJson(
          createRejection(403, errorCodes.httpError, `insufficient_scope: requires the scope ${requiredScope}`, id),
        );
        return respondEarly(req, res, 403, "application/json", text, {
          "www-authenticate": challenges.insufficientScope(requiredScope, scopes),
        });
      }
    }
    for (const item of messages) {
      if (item.kind === "notification" && item.method === "notifications/cancelled")
        dispatcher.cancel(context.sessionId, item.params["requestId"]);
      if (item.kind === "response" && !extension?.receive(context.sessionId, item.message)) {
        return respondWithRejection(
          req,
          res,
          createRejection(400, errorCodes.invalidRequest, "Bad Request: no request is waiting for this response"),
        );
      }
    }
    const writer = createHttpWriter(res);
    if (message.kind === "request") return dispatcher.dispatch(message, context, writer);
    // Streamable HTTP: notifications and responses get 202 without a body.
    if (requests.length === 0) return void res.writeHead(202).end();
    const responses: string[] = [];
    for (const request of requests) await dispatcher.dispatch(request, context, createBatchWriter(responses, writer));
    writer.end(200, `[${responses.join(",")}]`);
  }

  function toRejection(error: unknown): Rejection {
    if (error instanceof AppError)
      return createRejection(error.status, errorCodes.internal, `${error.code}: ${error.message}`);
    const reference = deps.newId("request");
    log.error({ err: error, reference }, "MCP request failed");
    return createRejection(500, errorCodes.internal, `Internal error. Reference: ${reference}.`);
  }
}

function respondUnauthorized(req: IncomingMessage, res: ServerResponse, challenge: string, error: string): void {
  respondEarly(req, res, 401, "application/json", JSON.stringify({ error }), { "www-authenticate": challenge });
}

function respondWithRejection(
  req: IncomingMessage,
  res: ServerResponse,
  rejection: Rejection,
  headers?: ResponseHeaders,
): void {
  respondEarly(req, res, rejection.status, "application/json", toErrorJson(rejection), headers);
}

function getHeader(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
