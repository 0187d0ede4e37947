import assert from "node:assert/strict";
import { before, test } from "node:test";
import { attachFile } from "#domain/assets/import-file.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createLog } from "#lib/log.ts";
import { createPublicUrlOpener } from "#lib/public-fetch.ts";
import { startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome } from "../support/outcome.ts";
import { png } from "../support/samples.ts";
import { readStoredText } from "../support/stored-text.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { startWebHost } from "../support/web-host.ts";

/** A file as OpenAI documents it for `openai/fileParams`, with `size`, an undocumented field that a host may add. */
const createHostFile = (url: string, fields: object = {}) => ({
  download_url: url,
  file_id: "file-FrqAEiZrYTvFpHkV3Z9B7n",
  mime_type: "image/png",
  size: 68,
  ...fields,
});

forOneEngine("files that the host of an AI client hands over", (fixture) => {
  const logLines: string[] = [];
  const host = startForSuite(() => startWebHost());
  const server = startForSuite(() => {
    const log = createLog("trace", { write: (line) => void logLines.push(line) });
    return startApiServer({ ...fixture.deps, openUrl: host.createOpener() }, log);
  });
  let deps: Deps;
  let owner: Caller;
  let postId: string;
  let call: (args: Record<string, unknown>) => Promise<Record<string, unknown>>;
  before(async () => {
    deps = server.deps;
    owner = await newStudio(deps);
    ({ id: postId } = await createPost(deps, owner, { title: "From the chat", body: "" }));
    const { token } = await createTestGrant(deps, owner);
    call = async (args) => {
      const params = { name: "attach_file", arguments: args };
      const { json } = await callModern({ url: `${server.base}/mcp`, token }, "tools/call", params);
      return json.result.structuredContent as unknown as Record<string, unknown>;
    };
  });

  const findAsset = async (assetId: unknown) => {
    const asset = await deps.assets.find(owner.studio.id, String(assetId));
    assert.ok(asset);
    return asset;
  };

  test("attaches the file to the post, under the name that the host states (CHAT-30)", async () => {
    const content = await png();
    host.serveFile("/abc", content, "image/png");
    const output = await call({ postId, file: createHostFile(host.url("/abc"), { file_name: "harbour.png" }) });
    const asset = await findAsset(output["assetId"]);
    assert.deepEqual(
      [output["bytes"], asset.status, asset.postId, asset.filename, asset.mimeType],
      [content.length, "ready", postId, "harbour.png", "image/png"],
    );
  });

  test("shortens a long name and keeps its extension, and cleans one that can't be stored (CHAT-30, ASSET-21)", async () => {
    host.serveFile("/long", await png(), "image/png");
    const attach = async (name: string) => {
      const output = await call({ postId, file: createHostFile(host.url("/long"), { file_name: name }) });
      return (await findAsset(output["assetId"])).filename;
    };
    assert.equal(await attach(`${"🌷".repeat(5000)}.png`), `${"🌷".repeat(196)}.png`);
    assert.equal(await attach("photos/tu\0lip\ud83c.png"), "tulip\ufffd.png");
  });

  test("checks the file against the type that the host states, if it states one (CHAT-30, ASSET-19)", async () => {
    const content = await png();
    host.serveFile("/generic", Buffer.from("# Tulips"), "application/octet-stream");
    host.serveFile("/png", content, "image/png");
    host.serveFile("/mislabeled", content, "image/jpeg");
    const attach = async (path: string, mimeType: string | undefined) => {
      const output = await call({ postId, file: createHostFile(host.url(path), { mime_type: mimeType }) });
      return output["code"] ?? (await findAsset(output["assetId"])).mimeType;
    };
    assert.equal(await attach("/generic", "text/markdown; charset=utf-8"), "text/markdown");
    assert.equal(await attach("/generic", "application/octet-stream"), "unsupported_type");
    assert.equal(await attach("/png", "application/pdf"), "type_mismatch");
    assert.equal(await attach("/png", "audio/mpeg"), "unsupported_type");
    assert.equal(await attach("/mislabeled", "image/png"), "image/png");
    assert.equal(await attach("/png", undefined), "image/png");
    assert.equal(await attach("/png", ""), "image/png");
  });

  test("stores and logs no part of the URL, whether the file is attached or the call fails (CHAT-30)", async () => {
    const secret = "k9Xw2-signature-of-the-host";
    host.serveFile(`/${secret}.png?sig=${secret}`, await png(), "image/png");
    host.serve(`/moved?sig=${secret}`, (_req, res) =>
      res.writeHead(302, { location: `/${secret}.png?sig=${secret}` }).end(),
    );
    host.serve(`/${secret}/cut`, (_req, res) => {
      res.writeHead(200, { "content-type": "image/png", "content-length": 50_000 });
      res.write(Buffer.alloc(20_000, 1));
      setImmediate(() => res.destroy());
    });
    const { assetId } = await call({ postId, file: createHostFile(host.url(`/moved?sig=${secret}`)) });
    assert.equal((await findAsset(assetId)).filename, "image.png");
    const outcomes = [];
    for (const url of [
      host.url(`/${secret}/missing`),
      host.url(`/${secret}/cut`),
      `http://files.test/${secret}`,
      `https://${secret}@files.test/`,
      `not a URL ${secret}`,
      host.url(`/${secret}`).padEnd(9000, "x"),
    ])
      outcomes.push((await call({ postId, file: createHostFile(url) }))["code"]);
    assert.deepEqual(outcomes, [
      "url_unreachable",
      "url_unreachable",
      "url_blocked",
      "url_blocked",
      "url_blocked",
      "invalid_input",
    ]);
    const storedTexts = [...(await readStoredText(fixture)).values()];
    assert.ok(storedTexts.some((text) => text.includes("asset.imported")));
    assert.ok(logLines.some((line) => line.includes("attach_file")));
    for (const text of [...storedTexts, logLines.join("")])
      for (const part of [secret, "files.test"]) assert.ok(!text.includes(part), part);
  });

  test("fetches only from public hosts (CHAT-30, A19)", async () => {
    const { connectionCount } = host;
    const { hostname, port } = new URL(host.url("/", "127.0.0.1"));
    const openUrl = createPublicUrlOpener({ timeoutMs: 5000, maxRedirects: 5, accept: "*/*" });
    const attach = (url: string) =>
      getOutcome(attachFile({ ...deps, openUrl }, owner, { postId, file: createHostFile(url) }));
    for (const url of [`https://${hostname}:${port}/abc`, "https://localhost/abc", "https://169.254.169.254/latest"])
      assert.equal(await attach(url), "url_blocked", url);
    assert.equal(host.connectionCount, connectionCount);
  });

  test("fetches nothing for a post that is missing, of another studio or full (CHAT-30)", async () => {
    host.serveFile("/unused", await png(), "image/png");
    const file = createHostFile(host.url("/unused"));
    const attach = (caller: Caller, target: string, limits = deps.limits) =>
      getOutcome(attachFile({ ...deps, limits }, caller, { postId: target, file }));
    assert.equal(await attach(await newStudio(deps), postId), "not_found");
    assert.equal(await attach(owner, deps.newId("post")), "not_found");
    assert.equal(await attach(owner, postId, { ...deps.limits, assetsPerPost: 1 }), "asset_limit_reached");
    assert.equal(host.requestCounts.get("/unused") ?? 0, 0);
  });

  test("declares which input the host fills in (CHAT-30)", async () => {
    const { token } = await createTestGrant(deps, owner);
    const { tools } = (await callModern({ url: `${server.base}/mcp`, token }, "tools/list")).json.result;
    const listing = tools.find(({ name }) => name === "attach_file") as unknown as {
      _meta: object;
      inputSchema: { properties: { file: { properties: object; required: string[] } } };
    };
    const { properties, required } = listing.inputSchema.properties.file;
    assert.deepEqual(listing._meta, { "openai/fileParams": ["file"] });
    assert.deepEqual(Object.keys(properties), ["download_url", "file_id", "mime_type", "file_name"]);
    assert.deepEqual(required, ["download_url", "file_id"]);
  });
});
