import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { hours, seconds } from "#lib/clock.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  callLegacy,
  callModern,
  initialize,
  newMcpClient,
  startMcpServer,
  type McpCaller,
  type TestMcpServer,
} from "../support/mcp.ts";
import { png } from "../support/samples.ts";
import { callAsTask, getTask, requestTask, tasksMeta, toTask, waitForTask } from "../support/task-client.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebHost, type WebHost } from "../support/web-host.ts";

forOneEngine("calls that run as tasks", (fixture) => {
  let host: WebHost;
  let deps: Deps;
  let server: TestMcpServer;
  /** A second process on the same database. */
  let otherServer: TestMcpServer;
  let owner: Caller;
  let client: McpCaller;
  let grantId: string;
  const openResponses: ServerResponse[] = [];
  before(async () => {
    host = await startWebHost();
    host.serveFile("/a.png", await png(), "image/png");
    host.serve("/endless.png", (_req, res) => {
      openResponses.push(res.writeHead(200, { "content-type": "image/png" }));
      res.write(Buffer.alloc(100));
    });
    deps = { ...fixture.deps, openUrl: host.createOpener() };
    server = await startMcpServer({ deps });
    otherServer = await startMcpServer({ deps });
    ({ owner, grantId, caller: client } = await newMcpClient({ deps }, server));
  });
  after(async () => {
    await server.close();
    await otherServer.close();
    await host.close();
  });

  const startImport = (path: string, args: object = {}, caller = client) =>
    callAsTask(caller, "import_asset_from_url", { url: host.url(path), ...args });

  /** Starts an import that ends only when it is stopped. */
  async function startEndlessImport(caller = client): Promise<{ taskId: string; isStopped: () => boolean }> {
    const count = openResponses.length;
    const { taskId } = await startImport("/endless.png", {}, caller);
    await waitUntil(() => openResponses.length > count);
    return { taskId, isStopped: () => openResponses[count]?.destroyed === true };
  }

  /** Serves an image whose response waits for `sendContent`. */
  async function serveSlowly(path: string): Promise<{ content: Buffer; sendContent: () => void }> {
    const content = await png();
    const { promise: released, resolve: sendContent } = Promise.withResolvers<void>();
    host.serve(path, (_req: unknown, res: ServerResponse) => {
      void released.then(() => res.writeHead(200, { "content-type": "image/png" }).end(content));
    });
    return { content, sendContent };
  }

  test("an import returns a task at once, whose result any process can report (TASK-1)", async () => {
    const { id: postId } = await createPost(deps, owner, { title: "A post", body: "" });
    const task = await startImport("/a.png", { postId });
    assert.deepEqual([task.resultType, task.status, task.ttlMs], ["task", "working", hours(24)]);
    assert.ok(task.taskId.length >= 43, "256 random bits");
    const ended = await waitForTask({ ...client, url: otherServer.url }, task.taskId);
    assert.deepEqual([ended.status, ended.resultType, ended.result.resultType], ["completed", "complete", "complete"]);
    const asset = await deps.assets.find(owner.studio.id, String(ended.result.structuredContent["assetId"]));
    assert.deepEqual([asset?.status, asset?.postId], ["ready", postId]);
  });

  test("clients without the extension get the result of the call itself (TASK-1)", async () => {
    const params = { name: "import_asset_from_url", arguments: { url: host.url("/a.png") } };
    const { session } = await initialize(client);
    for (const response of [
      await callModern(client, "tools/call", params),
      await callLegacy({ ...client, session }, "tools/call", params),
    ])
      assert.ok(toTask(response).structuredContent["assetId"]);
  });

  test("a tool's error completes the task, and an invalid input creates none (TASK-1)", async () => {
    const { taskId } = await startImport("/missing.png");
    const ended = await waitForTask(client, taskId);
    assert.deepEqual([ended.status, ended.result.isError], ["completed", true]);
    assert.equal(ended.result.structuredContent["code"], "url_unreachable");
    const invalid = await callAsTask(client, "import_asset_from_url", {});
    assert.deepEqual([invalid.resultType, invalid.structuredContent["code"]], ["complete", "invalid_input"]);
  });

  test("canceling stops the import, in this process and in another one (TASK-2, X1)", async () => {
    for (const url of [server.url, otherServer.url]) {
      const { taskId, isStopped } = await startEndlessImport();
      const response = await requestTask({ ...client, url }, "tasks/cancel", { taskId });
      assert.deepEqual(Object.keys(response.json.result).toSorted(), ["_meta", "resultType"]);
      assert.equal((await getTask(client, taskId)).status, "cancelled");
      await waitUntil(isStopped, { description: "the import stops" });
      assert.equal((await getTask(client, taskId)).status, "cancelled", "the stopped call does not change it");
      assert.equal((await requestTask(client, "tasks/cancel", { taskId })).status, 200, "again");
    }
  });

  test("a server that shuts down waits for running tasks, and responds to new calls with the result instead of a task (TASK-2, C4)", async () => {
    const closingServer = await startMcpServer({ deps });
    const closingClient = { ...client, url: closingServer.url };
    const { sendContent } = await serveSlowly("/before-shutdown.png");
    const { taskId } = await startImport("/before-shutdown.png", {}, closingClient);
    const tasksEnded = closingServer.endpoint.tasks.drain();
    const inline = await startImport("/a.png", {}, closingClient);
    assert.equal(inline.resultType, "complete");
    assert.ok(inline.structuredContent["assetId"]);
    assert.equal((await getTask(closingClient, taskId)).status, "working");
    sendContent();
    await tasksEnded;
    const ended = await getTask(client, taskId);
    await closingServer.close();
    assert.deepEqual([ended.status, ended.result.isError], ["completed", undefined]);
  });

  test("a task fails if its process stops before the call ends, or dies (TASK-2)", async () => {
    const closingServer = await startMcpServer({ deps });
    const first = await startEndlessImport({ ...client, url: closingServer.url });
    await closingServer.close();
    const closed = await waitForTask(client, first.taskId);
    assert.deepEqual([closed.status, closed.error.code], ["failed", -32603]);
    assert.match(closed.error.message, /Call the tool again/);

    const killedDeps = {
      ...deps,
      idempotency: { ...deps.idempotency, replaceResult: () => Promise.reject(new Error("killed")) },
    };
    const killedServer = await startMcpServer({ deps: killedDeps });
    const second = await startEndlessImport({ ...client, url: killedServer.url });
    await killedServer.close();
    assert.equal((await getTask(client, second.taskId)).status, "working");
    fixture.clock.advance(seconds(61));
    assert.equal((await getTask(client, second.taskId)).status, "failed");
  });

  test("a task survives a lost response of the database (TASK-2)", async () => {
    const { replaceResult } = deps.idempotency;
    let lostResponses = 0;
    const lossyDeps: Deps = {
      ...deps,
      idempotency: {
        ...deps.idempotency,
        async replaceResult(...args) {
          const isReplaced = await replaceResult(...args);
          if (lostResponses++ === 0) throw new Error("connection lost after the commit");
          return isReplaced;
        },
      },
    };
    const lossyServer = await startMcpServer({ deps: lossyDeps });
    const { content, sendContent } = await serveSlowly("/slow.png");
    const { taskId } = await startImport("/slow.png", {}, { ...client, url: lossyServer.url });
    fixture.clock.advance(seconds(1)); // so that the heartbeat changes the record
    await waitUntil(() => lostResponses > 0, { description: "the response to a heartbeat is lost" });
    sendContent();
    const ended = await waitForTask(client, taskId);
    await lossyServer.close();
    assert.deepEqual([ended.status, ended.result.structuredContent["bytes"]], ["completed", content.length]);
  });

  test("a task is hidden from other users, other grants and other studios, and after a day (TASK-3, T1)", async () => {
    const { taskId } = await startImport("/a.png");
    await waitForTask(client, taskId);
    const member = await newMember(deps, owner, "member");
    const strangers = [await createTestGrant(deps, owner), await createTestGrant(deps, member)];
    strangers.push(await createTestGrant(deps, await newStudio(deps)));
    for (const { token } of strangers)
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const { json } = await requestTask({ ...client, token }, method, { taskId, inputResponses: {} });
        assert.deepEqual([json.error.code, json.error.message], [-32602, "Task not found. It may have expired."]);
      }
    assert.equal((await requestTask(client, "tasks/get", { taskId: "x" })).json.error.code, -32602);
    // PostgreSQL can't compare text with NUL.
    const nulParams = { taskId: "\0", _meta: tasksMeta };
    const nulResponse = await callModern(client, "tasks/get", nulParams, { "mcp-name": "=?base64?AA==?=" });
    assert.equal(nulResponse.json.error.code, -32602);
    fixture.clock.advance(hours(24));
    const token = await createTestToken(deps, grantId);
    assert.equal((await requestTask({ ...client, token }, "tasks/get", { taskId })).json.error.code, -32602);
    client = { ...client, token };
  });

  test("the task methods require the extension, and exist only in protocol version 2026-07-28 (TASK-1)", async () => {
    const { status, json } = await callModern(client, "tasks/get", { taskId: "x" });
    assert.deepEqual([status, json.error.code], [400, -32021]);
    assert.deepEqual(json.error.data, {
      requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    });
    const listen = { notifications: { taskIds: ["x"] } };
    assert.equal((await callModern(client, "subscriptions/listen", listen)).json.error.code, -32021);
    assert.equal((await requestTask(client, "subscriptions/listen", listen)).status, 200);
    const { session } = await initialize(client);
    assert.equal((await callLegacy({ ...client, session }, "tasks/get", { taskId: "x" })).json.error.code, -32601);
  });
});
