import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { SandboxStore } from "#db/sandbox.ts";
import { parseInput } from "#http/api/validate-input.ts";
import { isLocalPeer } from "#http/guards.ts";
import { routeNotFoundError } from "#http/problem.ts";
import type { Handler, Route } from "#http/server.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { edgeError } from "#lib/errors.ts";
import { parseJson } from "#lib/parse-json.ts";
import type { DevDeps } from "./in-process-provider.ts";
import { sandboxPath, type SandboxPlatform } from "./sandbox-platform.ts";
import { html, renderPage, sendPage } from "#http/pages/page.ts";

/** How long the platform recognizes an idempotency key. */
export const keyLifetimeMs = hours(24);
const containerProcessingMs = 200;
const maxMediaBytes = 600 * 1024 * 1024;
const maxJsonBytes = 1024 * 1024;

const postInput = z.object({
  text: z.string(),
  mediaIds: z.array(z.string()).max(20).default([]),
  replyTo: z.string().nullable().default(null),
  options: z
    .strictObject({
      visibility: z.enum(["public", "unlisted"]).default("public"),
      audience: z.enum(["everyone", "adults"]).optional(),
    })
    .prefault({}),
});
const containerInput = postInput.extend({ readyAt: z.number() });
const metric = z.int().min(0).optional();
const metricsInput = z.strictObject({ likes: metric, comments: metric, reposts: metric });
const faultCount = z.number().int().min(0).max(1_000_000);
const faultsInput = z.strictObject({
  dropResponses: faultCount.optional(),
  rejectNext: faultCount.optional(),
  unavailableNext: faultCount.optional(),
});

/** The routes of the sandbox platform: its API, the posts that it published, and the faults that tests inject. */
export function createSandboxApi(
  { baseUrl, clock, newId }: DevDeps,
  store: SandboxStore,
  findAccount: SandboxPlatform["findAccount"],
): Route[] {
  async function requireAccount(req: IncomingMessage): Promise<string> {
    const [scheme, token = ""] = (req.headers.authorization ?? "").split(" ");
    const account = scheme === "Bearer" ? await findAccount(token) : undefined;
    if (account === undefined) throw edgeError("unauthenticated", "The access token is not valid.");
    return account;
  }

  async function uploadMedia(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const account = await requireAccount(req);
    let bytes = 0;
    for await (const chunk of readBody(req, maxMediaBytes)) bytes += chunk.length;
    const altText = req.headers["x-alt-text"];
    const id = newId("asset");
    await store.addMedia({
      id,
      account,
      mimeType: req.headers["content-type"] ?? "application/octet-stream",
      bytes,
      altText: typeof altText === "string" ? decodeURIComponent(altText) : null,
      createdAt: clock(),
    });
    sendJson(res, 201, { id });
  }

  /** Makes a post public and responds, unless a fault is set. A repeated key gets the same response, without a new post. */
  async function publish(
    res: ServerResponse,
    account: string,
    { text, mediaIds, options, replyTo }: z.infer<typeof postInput>,
    idempotencyKey: string | null,
  ): Promise<void> {
    if (await store.takeFault("unavailableNext")) return sendJson(res, 503, { error: "unavailable" });
    const existingId =
      idempotencyKey === null ? undefined : await store.findByKey(account, idempotencyKey, clock() - keyLifetimeMs);
    const id = existingId ?? newId("post");
    if (existingId === undefined) {
      if (await store.takeFault("rejectNext")) return sendJson(res, 422, { error: "rejected" });
      const media = await store.listMedia(account, mediaIds);
      if (media.length !== mediaIds.length) throw edgeError("invalid_input", "A media id is unknown.");
      const isReply = (post: { id: string; account: string }) => post.id === replyTo && post.account === account;
      if (replyTo !== null && !(await store.listPosts()).some(isReply))
        throw edgeError("invalid_input", "The post to reply to is unknown.");
      const isNew = await store.addPost({
        id,
        account,
        text,
        media,
        options,
        replyTo,
        idempotencyKey,
        createdAt: clock(),
      });
      // A parallel request with the same key was first.
      if (!isNew) return sendJson(res, 503, { error: "unavailable" });
    }
    if (await store.takeFault("dropResponses")) return void res.destroy();
    sendJson(res, 201, { id, url: toPostUrl(id) });
  }

  const toPostUrl = (id: string): string => `${baseUrl}/sandbox/posts/${id}`;

  const createPostHandler =
    (getKey: (req: IncomingMessage) => string | undefined): Handler =>
    async (req, res) => {
      const account = await requireAccount(req);
      return publish(res, account, parseInput(postInput, await readJson(req)), getKey(req) ?? null);
    };

  async function listOwnPosts(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const account = await requireAccount(req);
    const ownPosts = (await store.listPosts()).filter((post) => post.account === account);
    sendJson(res, 200, { posts: ownPosts.toReversed().map((post) => ({ ...post, url: toPostUrl(post.id) })) });
  }

  // A container can be published once. Its id encodes its content, so the sandbox stores nothing before that.

  async function createContainer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await requireAccount(req);
    const post = parseInput(postInput, await readJson(req));
    const container = { ...post, nonce: newId("post"), readyAt: clock() + containerProcessingMs };
    sendJson(res, 201, { id: Buffer.from(JSON.stringify(container)).toString("base64url") });
  }

  async function showContainer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const account = await requireAccount(req);
    const containerId = getLastSegment(req);
    const id = await store.findByKey(account, sha256(containerId), 0);
    if (id !== undefined) return sendJson(res, 200, { status: "PUBLISHED", id, url: toPostUrl(id) });
    sendJson(res, 200, { status: clock() < parseContainer(containerId).readyAt ? "IN_PROGRESS" : "FINISHED" });
  }

  async function publishContainer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const account = await requireAccount(req);
    const { containerId } = parseInput(z.object({ containerId: z.string() }), await readJson(req));
    const key = sha256(containerId);
    if ((await store.findByKey(account, key, 0)) !== undefined)
      throw edgeError("invalid_input", "The container is already published.");
    return publish(res, account, parseContainer(containerId), key);
  }

  async function listPosts(_req: IncomingMessage, res: ServerResponse): Promise<void> {
    const posts = await store.listPosts();
    sendJson(res, 200, { posts: posts.map((post) => ({ ...post, createdAt: toIsoTime(post.createdAt) })) });
  }

  async function showPost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = getLastSegment(req);
    const post = (await store.listPosts()).find((candidate) => candidate.id === id);
    if (!post) throw edgeError("not_found", "This post does not exist.");
    sendPage(
      res,
      renderPage({
        title: `${post.account} on Sandbox`,
        body: html`<h1>${post.account}</h1>
          <p>${post.text}</p>
          <ul>
            ${post.media.map((media) => html`<li>${media.mimeType}, ${media.bytes} bytes: ${media.altText ?? ""}</li>`)}
          </ul>`,
      }),
    );
  }

  async function setMetrics(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname } = new URL(req.url ?? "/", "http://localhost");
    const id = /^\/sandbox\/posts\/([^/]+)\/metrics$/.exec(pathname)?.[1];
    const metrics = parseInput(metricsInput, await readJson(req));
    if (id === undefined || !(await store.setMetrics(id, metrics)))
      throw edgeError("not_found", "This post does not exist.");
    res.writeHead(204).end();
  }

  async function listMetrics(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const account = await requireAccount(req);
    const ids = new URL(req.url ?? "/", "http://localhost").searchParams.get("ids")?.split(",").slice(0, 100) ?? [];
    const posts = await store.listMetrics(account, ids);
    // Like other platforms, the sandbox leaves out what it does not count.
    const known = posts.map((post) => Object.fromEntries(Object.entries(post).filter(([, value]) => value !== null)));
    sendJson(res, 200, { posts: known });
  }

  async function setFaults(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await store.setFaults(parseInput(faultsInput, await readJson(req)));
    res.writeHead(204).end();
  }

  const createRoute = (path: string, methods: Readonly<Record<string, Handler>>): Route => ({
    path: `${sandboxPath}${path}`,
    originRule: "own",
    handle(req, res, context) {
      if (!isLocalPeer(req)) throw edgeError("forbidden", "The sandbox platform is available on this machine only.");
      const handle = methods[req.method ?? ""];
      if (!handle) throw routeNotFoundError();
      return handle(req, res, context);
    },
  });
  return [
    { ...createRoute("/api/media", { POST: uploadMedia }), allowsLongBody: true },
    createRoute("/api/posts", {
      POST: createPostHandler((req) => req.headers["idempotency-key"]?.toString()),
      GET: listOwnPosts,
    }),
    // The client chooses the key of the record, so a repeated request creates no second record.
    createRoute("/api/records/*", { POST: createPostHandler(getLastSegment) }),
    createRoute("/api/containers", { POST: createContainer }),
    createRoute("/api/containers/*", { GET: showContainer }),
    createRoute("/api/publish", { POST: publishContainer }),
    createRoute("/api/metrics", { GET: listMetrics }),
    createRoute("/posts", { GET: listPosts }),
    createRoute("/posts/*", { GET: showPost, PUT: setMetrics }),
    createRoute("/faults", { PUT: setFaults }),
  ];
}

function getLastSegment(req: IncomingMessage): string {
  const segment = new URL(req.url ?? "/", "http://localhost").pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    throw edgeError("not_found", "The path is not valid.");
  }
}

function parseContainer(id: string): z.infer<typeof containerInput> {
  return parseInput(containerInput, parseJson(Buffer.from(id, "base64url")));
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(req, maxJsonBytes)) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks));
}

async function* readBody(req: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw edgeError("too_large", "The body is too large.");
    yield chunk;
  }
}
