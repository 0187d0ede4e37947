import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { getAssetUsage } from "#domain/assets/get-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { minutes, toIsoTime } from "#lib/clock.ts";
import { appTools } from "#mcp/chat-app/app-tools.ts";
import { forOneEngine } from "../support/engines.ts";
import { readHistory } from "../support/history-fixture.ts";
import {
  appsMeta,
  callLegacy,
  callModern,
  newMcpClient,
  startMcpServer,
  useMcpServer,
  type ListedTool,
} from "../support/mcp.ts";
import { png } from "../support/samples.ts";
import type { createTestGrant } from "../support/tokens.ts";
import { newMember, newStudio } from "../support/users.ts";

const uri = "ui://atelier/post";
const html = "<!doctype html><title>The app</title>";

const toFile = (content: Buffer) => ({ name: "gull.png", size: content.length, lastModified: 1 });

type Output = Record<string, unknown> & { uploadId: string; file: { id: string }; partBytes: number; code: string };
type Listing = ListedTool & {
  _meta?: { ui?: { resourceUri?: string; visibility?: string[] }; "ui/resourceUri"?: string };
};

forOneEngine("the in-chat app's resource and tools", (fixture) => {
  const server = useMcpServer(fixture, { chatAppHtml: html });
  const serverWithoutApp = useMcpServer(fixture);

  async function newClient(owner?: Caller, options: Parameters<typeof createTestGrant>[2] = {}, target = server) {
    const client = await newMcpClient(fixture, target, owner, options);
    const { caller } = client;
    const request = (method: string, params: Record<string, unknown> = {}) =>
      callModern(caller, method, { ...params, _meta: appsMeta });
    const call = async (name: string, args: Record<string, unknown>): Promise<Output> =>
      (await request("tools/call", { name, arguments: args })).json.result.structuredContent as never;
    return { ...client, request, call };
  }

  async function newPost(owner: Caller): Promise<string> {
    return (await createPost(fixture.deps, owner, { title: "Harbour", body: "" })).id;
  }

  const listTools = async (caller: { url: string; token: string }, _meta: object = {}): Promise<Listing[]> =>
    (await callModern(caller, "tools/list", { _meta })).json.result.tools;
  const appToolNames = appTools.map(({ name }) => name);

  test("only clients that declare the extension see the app's tools, in both protocol versions (CHAT-16)", async () => {
    const { caller } = await newClient();
    const plainTools = await listTools(caller);
    const toolsWithoutApp = await listTools({ ...caller, url: serverWithoutApp.url });
    const withoutUi = plainTools.map(({ _meta, ...tool }) => {
      const { ui: _, "ui/resourceUri": __, ...otherMeta } = _meta ?? {};
      return Object.keys(otherMeta).length === 0 ? tool : { ...tool, _meta: otherMeta };
    });
    assert.deepEqual(withoutUi, toolsWithoutApp, "the model sees the same tools with and without the app");
    const toolsForApps = await listTools(caller, appsMeta);
    assert.deepEqual(
      toolsForApps.slice(plainTools.length).map(({ name, _meta }) => [name, _meta?.ui?.visibility]),
      appToolNames.map((name) => [name, ["app"]]),
    );
    assert.ok(Buffer.byteLength(JSON.stringify(toolsForApps)) <= 40_000, "the whole list");
    assert.deepEqual(
      toolsForApps
        .filter(({ _meta }) => _meta?.ui?.resourceUri === uri && _meta["ui/resourceUri"] === uri)
        .map(({ name }) => name),
      ["get_post", "create_post", "update_post", "create_upload_session"],
    );

    for (const [capabilities, expected] of [
      [appsMeta["io.modelcontextprotocol/clientCapabilities"], toolsForApps],
      [{}, plainTools],
      [{ extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/plain"] } } }, plainTools],
    ] as const) {
      const response = await callLegacy(caller, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities,
        clientInfo: { name: "test", version: "1" },
      });
      const session = response.headers.get("mcp-session-id") ?? "";
      const { tools } = (await callLegacy({ ...caller, session }, "tools/list")).json.result;
      assert.deepEqual(tools, expected);
    }
  });

  test("the app is a resource with its policy, and is announced only if it is built (CHAT-13)", async () => {
    const { caller, request } = await newClient();
    const { contents } = (await request("resources/read", { uri })).json.result as never as { contents: unknown[] };
    assert.deepEqual(contents, [
      {
        uri,
        mimeType: "text/html;profile=mcp-app",
        text: html,
        _meta: { ui: { csp: { connectDomains: [fixture.deps.files.origin] }, prefersBorder: true } },
      },
    ]);
    const readExtensions = async (url: string): Promise<unknown> =>
      ((await callModern({ ...caller, url }, "server/discover")).json.result as never as { capabilities: object })
        .capabilities["extensions" as never];
    const others = { "io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/skills": {} };
    assert.deepEqual(await readExtensions(server.url), { "io.modelcontextprotocol/ui": {}, ...others });
    assert.deepEqual(await readExtensions(serverWithoutApp.url), others);
    const callerWithoutApp = { ...caller, url: serverWithoutApp.url };
    assert.equal((await callModern(callerWithoutApp, "resources/read", { uri })).json.error.code, -32602);
    const { error } = (await callModern(callerWithoutApp, "tools/call", { name: "app_create_upload", arguments: {} }))
      .json;
    assert.match(error.message, /^Unknown tool/);
  });

  test("clients may cache the app, and reading it counts as a call (CHAT-13)", async (t) => {
    const checkCallLimit = createCallLimiter(fixture.deps, "chat-app", { perMinute: 2 }).check;
    const limitedServer = await startMcpServer(fixture, { chatAppHtml: html, checkCallLimit });
    t.after(() => limitedServer.close());
    const { request, owner } = await newClient(undefined, {}, limitedServer);
    const read = async (resource: string) => (await request("resources/read", { uri: resource })).json;
    assert.equal((await read(uri)).result.ttlMs, minutes(5));
    assert.equal((await read(`atelier://posts/${await newPost(owner)}`)).result.ttlMs, 0);
    assert.match((await read(uri)).error.message, /^rate_limited: /);
  });

  test("a file sent in parts is checked and attached, and a wrong part is rejected (CHAT-14)", async () => {
    const { call, owner } = await newClient();
    const postId = await newPost(owner);
    const content = await png(40, 30);
    const { uploadId } = await call("app_create_upload", { postId });
    const file = { ...toFile(content), head: content.toString("base64") };
    const started = await call("app_start_file", { uploadId, ...file });
    const fileId = started.file.id;
    const sendPart = (part: number, bytes: Buffer) =>
      call("app_send_part", { uploadId, fileId, part, base64: bytes.toString("base64") });
    assert.equal((await sendPart(2, content)).code, "invalid_input");
    assert.equal((await sendPart(1, content.subarray(1))).code, "invalid_input");
    assert.equal((await call("app_complete_file", { uploadId, fileId })).code, "not_uploaded");
    assert.deepEqual(await sendPart(1, content), { part: 1 });
    assert.deepEqual(await sendPart(1, content), { part: 1 }, "a repeated part");
    assert.deepEqual((await call("app_start_file", { uploadId, ...file }))["parts"], [1], "resumes");
    assert.equal((await call("app_complete_file", { uploadId, fileId }))["status"], "ready");
    const { assets } = await getPost(fixture.deps, owner, { postId });
    const [asset] = assets;
    assert.deepEqual([assets.length, asset?.id, asset?.status, asset?.filename], [1, fileId, "ready", "gull.png"]);
  });

  test("the history names the client that uploaded a file, and undo_changes removes the file from the post (CHAT-14, HIST-8, UNDO-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const postId = await newPost(owner);
    const since = toIsoTime(fixture.clock());
    const { call } = await newClient(owner, { client: "Claude" });
    const content = await png(40, 30);
    const { uploadId } = await call("app_create_upload", { postId });
    const fileId = (await call("app_start_file", { uploadId, ...toFile(content) })).file.id;
    await call("app_send_part", { uploadId, fileId, part: 1, base64: content.toString("base64") });
    await call("app_complete_file", { uploadId, fileId });
    const [revision] = await readHistory(fixture.deps, owner, postId);
    assert.deepEqual([revision?.user?.id, revision?.client?.name], [owner.user.id, "Claude"]);
    const { createdThrough } = await getAssetUsage(fixture.deps, owner, { assetId: fileId });
    assert.equal(createdThrough, "Claude");
    const report = await call("undo_changes", { since });
    assert.deepEqual(report["undone"], [{ type: "asset", id: fileId, field: "postId" }]);
    assert.deepEqual((await getPost(fixture.deps, owner, { postId })).assets, []);
  });

  test("parts fit in a message, and a file can be canceled (CHAT-14)", async () => {
    const { call, owner } = await newClient();
    const postId = await newPost(owner);
    const { uploadId } = await call("app_create_upload", { postId });
    const file = { uploadId, name: "harbour.mp4", size: 2 ** 30, lastModified: 1, type: "video/mp4" };
    const { partBytes, file: startedFile } = await call("app_start_file", file);
    assert.equal(partBytes, 5 * 1024 ** 2);
    assert.deepEqual(await call("app_cancel_file", { uploadId, fileId: startedFile.id }), { canceled: true });
    assert.deepEqual((await getPost(fixture.deps, owner, { postId })).assets, []);
  });

  test("the app's tools check scope, studio, user and grant (CHAT-16, T1, M15)", async () => {
    const client = await newClient();
    const { owner } = client;
    const postId = await newPost(owner);
    const { uploadId } = await client.call("app_create_upload", { postId });
    const content = await png(20, 20);
    const file = toFile(content);
    const { file: startedFile } = await client.call("app_start_file", { uploadId, ...file });
    const target = { uploadId, fileId: startedFile.id };
    const uses: [string, Record<string, unknown>][] = [
      ["app_start_file", { uploadId, ...file }],
      ["app_create_part_urls", { ...target, parts: [1] }],
      ["app_send_part", { ...target, part: 1, base64: content.toString("base64") }],
      ["app_complete_file", target],
      ["app_cancel_file", target],
    ];
    const colleague = await newMember(fixture.deps, owner, "member");
    const otherGrants = {
      "another studio": await newClient(),
      "another user": await newClient(colleague),
      "another grant of the user": await newClient(owner, { client: "Other client" }),
    };
    for (const [name, other] of Object.entries(otherGrants))
      for (const [tool, args] of uses)
        assert.equal((await other.call(tool, args)).code, "not_found", `${name} ${tool}`);
    assert.equal((await otherGrants["another studio"].call("app_create_upload", { postId })).code, "not_found");
    const reader = await newClient(owner, { scopes: ["studio:read"] });
    for (const [tool, args] of uses)
      assert.equal((await reader.request("tools/call", { name: tool, arguments: args })).status, 403, tool);
    assert.deepEqual(
      (await listTools(reader.caller, appsMeta)).filter(({ name }) => name.startsWith("app_")).map(({ name }) => name),
      ["app_get_thumbnail"],
    );
    const { status } = (await getPost(fixture.deps, owner, { postId })).assets[0] ?? {};
    assert.equal(status, "pending", "the others did not change the upload");
  });

  test("a thumbnail is an image block; other studios get not_found, as for ids that don't exist (CHAT-13, T1)", async () => {
    const client = await newClient();
    const other = await newClient();
    const base64 = (await png(200, 100)).toString("base64");
    const upload = { kind: "image", mimeType: "image/png", base64 };
    const { assetId } = await client.call("upload_asset_inline", upload);
    const { result } = (await client.request("tools/call", { name: "app_get_thumbnail", arguments: { assetId } })).json;
    const types = (result.content as never as { type: string }[]).map(({ type }) => type);
    assert.deepEqual(types, ["text", "image"]);
    assert.equal((await other.call("app_get_thumbnail", { assetId })).code, "not_found");
    for (const unknownId of [fixture.deps.newId("asset"), "nothing"])
      assert.equal((await client.call("app_get_thumbnail", { assetId: unknownId })).code, "not_found");
  });
});
