import { InMemoryServerEventBus, type Implementation, type ServerCapabilities } from "@modelcontextprotocol/server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticate } from "#domain/access/authenticator.ts";
import type { CountCall } from "#domain/access/call-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import type { RequestAbout } from "#lib/request-facts.ts";
import type { Signer } from "#lib/signed-token.ts";
import { errorJson, refuse, type Headers } from "./answer.ts";
import { checkBodyHeaders, createBodyReader } from "./body.ts";
import { bearerToken, createChallenges } from "./challenge.ts";
import type { Extension, Method } from "./exchange.ts";
import { instructionsFor } from "./instructions.ts";
import { createResultMeta, lifecycleMethods } from "./lifecycle.ts";
import { createListening } from "./listen.ts";
import { errorCodes, modernRevision, reject, type Batch, type Message, type Rejection } from "./messages.ts";
import { parseBody } from "./parse.ts";
import { batchReply, httpReply } from "./reply.ts";
import { createServer, type Visit } from "./serve.ts";
import { createSessions } from "./session.ts";
import type { Tool } from "./tool.ts";
import { createToolbox } from "./toolbox.ts";
import { readMessage } from "./wire.ts";

export interface McpEndpointOptions {
  deps: Deps;
  authenticate: Authenticate;
  tools: readonly Tool[];
  signer: Signer;
  log: Log;
  countCall: CountCall;
  /** Told of every call that is let through, by the approval it came under. */
  noteCall: (grantId: string) => void;
  version: string;
  extension?: Extension | undefined;
}

export interface McpEndpoint {
  /**
   * Serves one request to `/mcp`, after the edge has judged Host, Origin and OPTIONS. Never rejects.
   * Writes into `about` what it learns of the request, as soon as it does: a client may leave at any time.
   */
  handle(req: IncomingMessage, res: ServerResponse, about?: RequestAbout): Promise<void>;
  /** Ends the streams that stay open by themselves, properly; for the drain. */
  close(): void;
}

export function createMcpEndpoint({
  deps,
  authenticate,
  tools,
  signer,
  log,
  countCall,
  noteCall,
  version,
  extension,
}: McpEndpointOptions): McpEndpoint {
  const serverInfo: Implementation = { name: "atelier", title: "Atelier", version, websiteUrl: deps.base };
  const capabilities: ServerCapabilities = { tools: {}, ...extension?.capabilities };
  const sessions = createSessions(signer, deps.clock, deps.newSecret);
  const challenges = createChallenges(deps.base);
  const toolbox = createToolbox({ tools, rawTools: extension?.tools ?? [], deps, log, countCall, noteCall });
  const listening = createListening(capabilities, extension?.events ?? new InMemoryServerEventBus());
  const methods = new Map<string, Method>([
    ...lifecycleMethods({
      serverInfo,
      capabilities,
      sessions,
      deps,
      instructions: (caller) => instructionsFor(caller, toolbox.allowed(caller.scopes), deps.base),
    }),
    ["tools/list", toolbox.list],
    ["tools/call", toolbox.call],
    ["subscriptions/listen", listening.method],
    ...(extension?.methods ?? []),
  ]);
  const server = createServer({ methods, resultMeta: createResultMeta(serverInfo), log, newId: deps.newId });
  const readBody = createBodyReader();

  return {
    async handle(req, res, about = {}) {
      try {
        await answer(req, res, about);
      } catch (error) {
        if (!req.complete && req.destroyed) return;
        refuseWith(req, res, unavailable(error));
      }
    },
    close: () => listening.close(),
  };

  async function answer(req: IncomingMessage, res: ServerResponse, about: RequestAbout): Promise<void> {
    const token = bearerToken(req.headers.authorization);
    if (token === undefined) return unauthorized(req, res, challenges.missing, "unauthorized");
    // The new wire has no sessions and names itself in a header; only the old one is asked for its own.
    const modern = req.headers["mcp-protocol-version"] === modernRevision;
    const sessionId = modern ? undefined : header(req, "mcp-session-id");
    const session = sessionId === undefined ? undefined : sessions.open(sessionId);
    const authentication = token === "" ? undefined : await authenticate(token, session?.studioId);
    if (!authentication) return unauthorized(req, res, challenges.invalid, "invalid_token");
    about.userId = authentication.user.id;
    about.clientId = authentication.client.id;
    const { seat, nextSeat } = authentication;
    if (!seat || !nextSeat) return refuse(req, res, 403, "text/plain", "No studio membership");
    about.studioId = seat.studio.id;
    const isForeignSession = session?.grantId !== authentication.grantId;
    if (sessionId !== undefined && (isForeignSession || authentication.isSessionStudioDeleted)) {
      return refuseWith(req, res, reject(404, errorCodes.sessionNotFound, "Session not found"));
    }
    if (req.method !== "POST")
      return refuseWith(req, res, reject(405, errorCodes.httpRefusal, "Method not allowed."), { allow: "POST" });
    const fault = checkBodyHeaders(req);
    if (fault) return refuseWith(req, res, fault);

    // Only now, after every check, is a sender that asked first told to go ahead.
    if (req.headers.expect !== undefined) res.writeContinue();
    const bytes = await readBody(req, authentication.user.id);
    if ("kind" in bytes) return refuseWith(req, res, bytes);
    const parsed = parseBody(bytes);
    if (parsed.kind === "rejection") return refuseWith(req, res, parsed);
    const message = readMessage(
      parsed.value,
      {
        protocolVersionHeader: header(req, "mcp-protocol-version"),
        mcpMethodHeader: header(req, "mcp-method"),
        mcpNameHeader: header(req, "mcp-name"),
      },
      session?.revision,
    );
    if (message.kind === "rejection") return refuseWith(req, res, message);
    if (message.kind === "batch" && parsed.whole)
      return refuseWith(
        req,
        res,
        reject(400, errorCodes.invalidRequest, "Bad Request: a batch this long; send its messages one by one"),
      );
    await serveMessage(
      req,
      res,
      message,
      { authentication, seats: { act: seat, begin: nextSeat }, sessionId, whole: parsed.whole },
      about,
    );
  }

  async function serveMessage(
    req: IncomingMessage,
    res: ServerResponse,
    message: Message | Batch,
    visit: Visit,
    about: RequestAbout,
  ): Promise<void> {
    const all = message.kind === "batch" ? message.messages : [message];
    const requests = all.filter((one) => one.kind === "request");
    for (const { method, params, id } of requests) {
      about.rpcMethod = method.slice(0, 100);
      if (method === "tools/call" && typeof params["name"] === "string") about.tool = params["name"].slice(0, 100);
      const needed = methods.get(method)?.scopeFor?.(params);
      const { scopes } = visit.authentication;
      if (needed !== undefined && !scopes.includes(needed)) {
        const text = errorJson(
          reject(403, errorCodes.httpRefusal, `insufficient_scope: this needs the scope ${needed}`, id),
        );
        return refuse(req, res, 403, "application/json", text, {
          "www-authenticate": challenges.scope(needed, scopes),
        });
      }
    }
    for (const one of all) {
      if (one.kind === "notification" && one.method === "notifications/cancelled")
        server.cancel(visit.sessionId, one.params["requestId"]);
      if (one.kind === "response" && !extension?.receive(visit.sessionId, one.message)) {
        return refuseWith(
          req,
          res,
          reject(400, errorCodes.invalidRequest, "Bad Request: nothing was asked of the client"),
        );
      }
    }
    const reply = httpReply(res);
    if (message.kind === "request") return server.serve(message, visit, reply);
    // Notifications and answers are taken, and that is all there is to say.
    if (requests.length === 0) return void res.writeHead(202).end();
    const answers: string[] = [];
    for (const request of requests) await server.serve(request, visit, batchReply(answers, reply));
    reply.end(200, `[${answers.join(",")}]`);
  }

  function unavailable(error: unknown): Rejection {
    if (error instanceof AppError) return reject(error.status, errorCodes.internal, `${error.code}: ${error.message}`);
    const reference = deps.newId("request");
    log.error({ err: error, reference }, "a request to /mcp failed");
    return reject(500, errorCodes.internal, `Internal error. Reference: ${reference}.`);
  }
}

function unauthorized(req: IncomingMessage, res: ServerResponse, challenge: string, error: string): void {
  refuse(req, res, 401, "application/json", JSON.stringify({ error }), { "www-authenticate": challenge });
}

function refuseWith(req: IncomingMessage, res: ServerResponse, rejection: Rejection, headers?: Headers): void {
  refuse(req, res, rejection.status, "application/json", errorJson(rejection), headers);
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
