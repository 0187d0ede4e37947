import type { Implementation, ServerCapabilities } from "@modelcontextprotocol/server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authentication, Authenticator } from "#domain/model/authentication.ts";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import { getGrantId, type Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createChangeFeed, type ChangeFeed } from "#domain/subscriptions/change-feed.ts";
import { AppError } from "#lib/errors.ts";
import type { Log, RequestLogContext } from "#lib/log.ts";
import { createHttpWriter, respondWithRejection } from "./transport/response.ts";
import { acceptRequest, readCredentials, type RequestAuthority } from "./transport/request-authority.ts";
import { batchTooLongRejection, checkBodyHeaders, createBodyReader, parseBody } from "./transport/read-body.ts";
import { createChallenges } from "./transport/bearer-challenge.ts";
import type { Extension } from "./extension.ts";
import type { Method } from "./protocol/method.ts";
import { buildInstructions } from "./instructions.ts";
import { createResultMetaFormatter, createLifecycleMethods } from "./protocol/lifecycle-methods.ts";
import { createListenMethod } from "./subscriptions/listen.ts";
import { createSessionStreams } from "./subscriptions/session-streams.ts";
import { createStreamSlots, type StreamSlots } from "./subscriptions/stream-slots.ts";
import { toRejection, toRetryHeaders } from "./protocol/app-errors.ts";
import { createBadRequest, createRejection, errorCodes, type Batch, type Message } from "./protocol/messages.ts";
import { findScopeProblem } from "./protocol/check-scope.ts";
import { dispatchBatch } from "./protocol/dispatch-batch.ts";
import { createDispatcher, type MessageContext } from "./protocol/dispatcher.ts";
import { readMirroredHeaders } from "./transport/headers.ts";
import { createSessionIdCodec } from "./transport/session-id.ts";
import { createChatApp } from "./chat-app/chat-app.ts";
import type { Tool } from "./define-tool.ts";
import { createPostResources } from "./post-resources.ts";
import { promptMethods } from "./prompts.ts";
import { addSkills } from "./skills.ts";
import { createTasks, type Tasks } from "./tasks/tasks.ts";
import { createToolMethods } from "./tool-methods.ts";
import { readMessage } from "./protocol/read-message.ts";

/** Enterprise-Managed Authorization: https://github.com/modelcontextprotocol/ext-auth. */
const enterpriseExtension = "io.modelcontextprotocol/enterprise-managed-authorization";

export interface McpEndpointOptions {
  deps: Deps;
  authenticate: Authenticator;
  tools: readonly Tool[];
  log: Log;
  /** Counts every message of a user. Throws above the limit. */
  checkMessageLimit: CallLimitCheck;
  /** Counts a call of a tool or resource. Throws above the limit. */
  checkCallLimit: CallLimitCheck;
  /** Called for every call of a tool or resource that is within the rate limit. */
  recordCall: (grantId: string) => void;
  version: string;
  /** The document of the in-chat app; undefined if it is not built. */
  chatAppHtml?: string | undefined;
  /** Whether companies’ issuers can give clients access. */
  hasEnterpriseAccess?: boolean;
  extension?: Extension | undefined;
}

export interface McpEndpoint {
  serverInfo: Implementation;
  /**
   * Serves one request to `/mcp`; the HTTP entry point has already checked Host and Origin and handled OPTIONS.
   * Never rejects. Fills `logContext` as early as possible, because a client may disconnect at any time.
   */
  handle(req: IncomingMessage, res: ServerResponse, logContext?: RequestLogContext): Promise<void>;
  changeFeed: ChangeFeed;
  /** All streams of the process share the same limits. For shutdown: `close` ends those of the endpoint and of pages. */
  streamSlots: StreamSlots;
  tasks: Pick<Tasks, "drain" | "stopAll">;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { deps, authenticate, tools, log, checkMessageLimit, checkCallLimit, recordCall, extension } = options;
  const { version, chatAppHtml } = options;
  const serverInfo: Implementation = { name: "atelier", title: "Atelier", version, websiteUrl: deps.baseUrl };
  const sessionIdCodec = createSessionIdCodec(deps);
  const chatApp = createChatApp(chatAppHtml, deps, sessionIdCodec);
  const capabilities: ServerCapabilities = {
    tools: {},
    resources: { subscribe: true },
    prompts: {},
    completions: {},
    ...chatApp?.capabilities,
    ...extension?.capabilities,
  };
  if (options.hasEnterpriseAccess) capabilities.extensions = { ...capabilities.extensions, [enterpriseExtension]: {} };
  const challenges = createChallenges(deps.baseUrl);
  const countCall = (caller: Caller): void => {
    checkCallLimit(caller.user.id);
    const grantId = getGrantId(caller);
    if (grantId !== null) recordCall(grantId);
  };
  const tasks = createTasks(deps, tools, log);
  const toolMethods = createToolMethods(deps, tools, chatApp, tasks, log);
  const changeFeed = createChangeFeed(deps, log);
  const streamSlots = createStreamSlots();
  const sessionStreams = createSessionStreams(deps, changeFeed, streamSlots, challenges, countCall);
  const methods = new Map<string, Method>([
    ...createLifecycleMethods(deps, serverInfo, capabilities, sessionIdCodec, (caller) =>
      buildInstructions(caller, toolMethods.listModelTools(caller.scopes), deps.baseUrl),
    ),
    ["tools/list", toolMethods.list],
    ["tools/call", toolMethods.call],
    ["subscriptions/listen", createListenMethod(deps, changeFeed, streamSlots)],
    ...sessionStreams.methods,
    ...createPostResources(deps),
    ...promptMethods,
    ...tasks.methods,
  ]);
  chatApp?.addTo(methods);
  addSkills(methods);
  extension?.extendMethods(methods, tasks.start);
  const receive = extension?.receive ?? rejectResponse;
  const dispatcher = createDispatcher(methods, createResultMetaFormatter(serverInfo), countCall, deps.newId, log);
  const readBody = createBodyReader();

  return {
    serverInfo,
    async handle(req, res, logContext = {}) {
      try {
        await handleRequest(req, res, logContext);
      } catch (error) {
        if (!req.complete && req.destroyed) return;
        respondWithRejection(req, res, toRejection(error, deps.newId, log), toRetryHeaders(error));
      }
    },
    changeFeed,
    streamSlots,
    tasks,
  };

  async function handleRequest(
    req: IncomingMessage,
    res: ServerResponse,
    logContext: RequestLogContext,
  ): Promise<void> {
    const readAuthority = async (): Promise<RequestAuthority | undefined> => {
      const credentials = readCredentials(req, sessionIdCodec);
      const authentication = credentials.token
        ? await authenticate(credentials.token, credentials.session?.studioId)
        : undefined;
      if (authentication) Object.assign(logContext, toLogFields(authentication));
      return acceptRequest(req, res, credentials, authentication, challenges);
    };
    const authority = await readAuthority();
    if (!authority) return;
    const { authentication, session } = authority;
    /** Reads the authority again, for the same studio: a call must not end in another one. */
    const readAuthorityAgain = async (): Promise<RequestAuthority | undefined> => {
      const currentAuthority = await readAuthority();
      if (currentAuthority && !hasSameStudio(currentAuthority, authority))
        throw new AppError("forbidden:access_changed");
      return currentAuthority;
    };
    // MCP spec 2025-11-25, Transports: a client that listens sends GET and accepts an event stream.
    if (session && req.method === "GET" && req.headers.accept?.includes("text/event-stream"))
      return sessionStreams.open(req, res, authority, session);
    if (req.method !== "POST")
      return respondWithRejection(req, res, createRejection(405, errorCodes.httpError, "Method not allowed."), {
        allow: "GET, POST",
      });
    const rejection = checkBodyHeaders(req);
    if (rejection) return respondWithRejection(req, res, rejection);

    // Every check has passed: a client that sent `Expect: 100-continue` may now send its body.
    if (req.headers.expect !== undefined) res.writeContinue();
    const hasArrived = req.complete;
    const body = await readBody(req, authentication.user.id);
    if ("kind" in body) return respondWithRejection(req, res, body);
    // The user's access may have ended or changed until the whole body arrived.
    const currentAuthority = hasArrived ? authority : await readAuthorityAgain();
    if (!currentAuthority) return;
    const parsedBody = parseBody(body);
    if (parsedBody.kind === "rejection") return respondWithRejection(req, res, parsedBody);
    const message = readMessage(parsedBody.value, readMirroredHeaders(req), session?.protocolVersion);
    if (message.kind === "rejection") return respondWithRejection(req, res, message);
    // `parseFull` is set for long messages; dispatching supports it only for a single call.
    if (message.kind === "batch" && parsedBody.parseFull)
      return respondWithRejection(req, res, batchTooLongRejection());
    await serveMessage(
      req,
      res,
      message,
      { ...currentAuthority, parseFull: parsedBody.parseFull },
      logContext,
      readAuthorityAgain,
    );
  }

  async function serveMessage(
    req: IncomingMessage,
    res: ServerResponse,
    message: Message | Batch,
    context: MessageContext,
    logContext: RequestLogContext,
    readAuthorityAgain: () => Promise<RequestAuthority | undefined>,
  ): Promise<void> {
    const messages = message.kind === "batch" ? message.messages : [message];
    const requests = messages.filter((item) => item.kind === "request");
    const { scopes, user } = context.authentication;
    for (const _ of messages) checkMessageLimit(user.id);
    for (const { id, method, params } of requests) {
      logContext.rpcMethod = method.slice(0, 100);
      if (method === "tools/call" && typeof params["name"] === "string") logContext.tool = params["name"].slice(0, 100);
      const requiredScope = methods.get(method)?.getRequiredScope?.(params);
      const problem = requiredScope && findScopeProblem(requiredScope, scopes, challenges, id);
      if (problem) return respondWithRejection(req, res, problem.rejection, problem.headers);
    }
    for (const item of messages) {
      const rejection = receive(item, { sessionId: context.sessionId, headers: req.headers });
      if (rejection) return respondWithRejection(req, res, rejection);
      if (item.kind === "notification" && item.method === "notifications/cancelled")
        dispatcher.cancel(context.sessionId, item.params["requestId"]);
    }
    const writer = createHttpWriter(res);
    if (message.kind === "request") return dispatcher.dispatch(message, context, writer);
    // Streamable HTTP: notifications and responses get 202 without a body.
    if (requests.length === 0) return void res.writeHead(202).end();
    return dispatchBatch(dispatcher, requests, context, writer, readAuthorityAgain);
  }
}

/** The product sends no requests to clients, so it expects no responses. */
const rejectResponse: Extension["receive"] = ({ kind }) =>
  kind === "response" ? createBadRequest("no request is waiting for this response") : undefined;

const toLogFields = ({ user, client, membership }: Authentication): RequestLogContext => ({
  userId: user.id,
  clientId: client.id,
  ...(membership ? { studioId: membership.studio.id } : {}),
});

const hasSameStudio = (a: RequestAuthority, b: RequestAuthority): boolean =>
  a.memberships.current.studio.id === b.memberships.current.studio.id;
