import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { parse } from "yaml";
import { createPost } from "#domain/posts/create-post.ts";
import { forOneEngine } from "../support/engines.ts";
import { callLegacy, callModern, initialize, newMcpClient, useMcpServer } from "../support/mcp.ts";

interface SkillResults extends Response {
  resultType: string;
  ttlMs: number;
  cacheScope: string;
  skills: Skill[];
  skill: Skill;
}

interface Skill {
  uri: string;
  frontmatter: { name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
}

interface Response {
  resources: { uri: string; title: string }[];
  nextCursor?: string;
  resourceTemplates: { uriTemplate: string }[];
  contents: { uri: string; mimeType: string; text: string }[];
  completion: { values: string[]; hasMore: boolean };
  prompts: { name: string; arguments: { name: string }[] }[];
  messages: { role: string; content: { type: string; text: string } }[];
}

forOneEngine("MCP resources and prompts", (fixture) => {
  const server = useMcpServer(fixture);

  async function newClient() {
    const { owner, caller } = await newMcpClient(fixture, server);
    const { session } = await initialize(caller);
    const send = (method: string, params: Record<string, unknown> = {}) => [
      callModern(caller, method, params),
      callLegacy({ ...caller, session }, method, params),
    ];
    /** Sends the request in both protocol versions, asserts that the results are equal, and returns the result. */
    const request = async (method: string, params: Record<string, unknown> = {}): Promise<Response> => {
      const [modern, legacy] = await Promise.all(send(method, params));
      assert.ok(modern && legacy);
      const { _meta, ...result } = legacy.json.result as never as Response & Record<string, unknown>;
      const {
        resultType: _,
        ttlMs: _ttl,
        cacheScope: _scope,
        _meta: _modernMeta,
        ...modernResult
      } = modern.json.result;
      assert.deepEqual(modernResult, result);
      return result;
    };
    const readErrorCodes = async (method: string, params: Record<string, unknown>): Promise<unknown[]> =>
      (await Promise.all(send(method, params))).map(({ json }) => json.error.code);
    return { owner, request, readErrorCodes };
  }

  test("posts are listed newest first in pages, and read as JSON (CHAT-1)", async () => {
    const { owner, request } = await newClient();
    for (let i = 0; i < 60; i++) await createPost(fixture.deps, owner, { title: `Post ${i}`, body: "" });
    const first = await request("resources/list");
    const second = await request("resources/list", { cursor: first.nextCursor });
    const titles = [...first.resources, ...second.resources].map(({ title }) => title);
    assert.deepEqual(
      titles,
      Array.from({ length: 60 }, (_, i) => `Post ${59 - i}`),
    );
    assert.equal(second.nextCursor, undefined);
    const { uri } = first.resources[0]!;
    assert.match(uri, /^atelier:\/\/posts\/pst_/);
    const [content] = (await request("resources/read", { uri })).contents;
    assert.deepEqual([content?.uri, content?.mimeType], [uri, "application/json"]);
    assert.equal((JSON.parse(content?.text ?? "") as { title: string }).title, "Post 59");
    const { resourceTemplates } = await request("resources/templates/list");
    assert.equal(resourceTemplates[0]?.uriTemplate, "atelier://posts/{postId}");
  });

  test("the id of a post is completed by words in its title (CHAT-1)", async () => {
    const { owner, request } = await newClient();
    const { id } = await createPost(fixture.deps, owner, { title: "Spring catalogue", body: "" });
    await createPost(fixture.deps, owner, { title: "Harbour", body: "Beside the catalogue." });
    const complete = async (value: string, name = "postId", uri = "atelier://posts/{postId}") =>
      (await request("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value } }))
        .completion;
    assert.deepEqual(await complete("catal"), { values: [id], hasMore: false });
    assert.equal((await complete("")).values.length, 2);
    for (let i = 0; i < 110; i++) await createPost(fixture.deps, owner, { title: `Pier ${i}`, body: "The catalogue." });
    assert.deepEqual(await complete("catal"), { values: [id], hasMore: false }, "older than 100 matches in texts");
    const piers = await complete("pier");
    assert.deepEqual([piers.values.length, piers.hasMore], [100, true]);
    assert.equal((await complete("")).hasMore, true);
    assert.deepEqual((await complete("catal", "other")).values, []);
    assert.deepEqual((await complete("catal", "postId", "atelier://assets/{postId}")).values, []);
  });

  test("posts of other studios, unknown resources and wrong params return errors (CHAT-1, T1)", async () => {
    const [client, other] = [await newClient(), await newClient()];
    const { id } = await createPost(fixture.deps, other.owner, { title: "Secret", body: "" });
    const notFound = [-32602, -32002];
    for (const uri of [`atelier://posts/${id}`, "atelier://posts/pst_wrong", "atelier://posts/", "file:///etc/passwd"])
      assert.deepEqual(await client.readErrorCodes("resources/read", { uri }), notFound, uri);
    const invalid = [-32602, -32602];
    assert.deepEqual(await client.readErrorCodes("resources/read", {}), invalid);
    assert.deepEqual(await client.readErrorCodes("resources/list", { cursor: "x" }), invalid);
    assert.deepEqual(await client.readErrorCodes("completion/complete", { ref: {} }), invalid);
    const ref = { type: "ref/resource", uri: "atelier://posts/{postId}" };
    const createCompletion = (value: string) => ({ ref, argument: { name: "postId", value } });
    for (const value of ["\u0000", "\ud800", "x".repeat(201)])
      assert.deepEqual(await client.readErrorCodes("completion/complete", createCompletion(value)), invalid);
    assert.deepEqual(await client.readErrorCodes("prompts/get", { name: { toString: 0 } }), invalid);
    assert.deepEqual((await client.request("completion/complete", createCompletion("Secret"))).completion.values, []);
  });

  test("prompts have arguments and name the tools to use (CHAT-2)", async () => {
    const { request, readErrorCodes } = await newClient();
    const { prompts } = await request("prompts/list");
    assert.deepEqual(
      prompts.map(({ name, arguments: args }) => [name, ...args.map((argument) => argument.name)]),
      [
        ["draft_post", "brief"],
        ["prepare_post", "postId"],
        ["plan_week"],
        ["repurpose_post", "postId"],
        ["compare_results", "account"],
        ["review_week"],
      ],
    );
    const args = { brief: "The harbour at dawn", postId: "pst_1", account: "harbour" };
    for (const { name } of prompts) {
      const { messages } = await request("prompts/get", { name, arguments: args });
      assert.equal(messages[0]?.role, "user");
      assert.match(messages[0]?.content.text ?? "", /list_posts|list_platforms|list_publications/);
    }
    const { messages } = await request("prompts/get", { name: "draft_post", arguments: args });
    assert.match(messages[0]?.content.text ?? "", /The harbour at dawn/);
    for (const params of [
      { name: "unknown" },
      { name: "constructor" },
      { name: "draft_post" },
      { name: "draft_post", arguments: { brief: "x".repeat(10_001) } },
    ])
      assert.deepEqual(await readErrorCodes("prompts/get", params), [-32602, -32602]);
  });

  test("skills are the steps of prompts, with digests that match what a client reads (CHAT-32)", async () => {
    const { caller } = await newMcpClient(fixture, server);
    const call = async (method: string, params: Record<string, unknown> = {}) => {
      const { json } = await callModern(caller, method, params);
      return json as never as { result: SkillResults; error?: { code: number } };
    };
    const { result } = await call("skills/list");
    assert.deepEqual(
      [result.resultType, typeof result.ttlMs, typeof result.cacheScope],
      ["complete", "number", "string"],
    );
    assert.deepEqual(
      result.skills.map(({ frontmatter }) => frontmatter.name),
      ["prepare-post", "plan-week", "repurpose-post", "compare-results"],
    );
    for (const skill of result.skills) {
      assert.deepEqual((await call("skills/get", { uri: skill.uri })).result.skill, skill);
      assert.equal(skill.uri.split("/").at(-2), skill.frontmatter.name);
      assert.deepEqual(
        skill.resources.map(({ uri }) => uri),
        [skill.uri],
      );
      const [content] = (await call("resources/read", { uri: skill.uri })).result.contents;
      const bytes = Buffer.from(content?.text ?? "");
      const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      assert.deepEqual(skill.resources, [{ uri: skill.uri, digest, size: bytes.length }]);
      assert.equal(content?.mimeType, "text/markdown");
      const [, yaml = ""] = /^---\n(.*?)\n---\n/s.exec(content.text) ?? [];
      assert.deepEqual(parse(yaml), skill.frontmatter);
      const promptName = skill.frontmatter.name.replaceAll("-", "_");
      const args = { postId: "pst_1", account: "harbour" };
      const prompt = await call("prompts/get", { name: promptName, arguments: args });
      const steps = prompt.result.messages[0]?.content.text.split("\n\n").at(-1) ?? "";
      assert.ok(steps.length > 200 && content.text.includes(steps));
    }
    assert.equal((await call("skills/get", { uri: "skill://atelier/unknown/SKILL.md" })).error?.code, -32602);
  });
});
