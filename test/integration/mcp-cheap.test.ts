import assert from "node:assert/strict";
import { test } from "node:test";
import { forOneEngine } from "../support/engines.ts";
import { callModern, newMcpClient, useMcpServer } from "../support/mcp.ts";
import { png } from "../support/samples.ts";

interface ListedAsset {
  id: string;
  url?: string;
  thumbnailUrl?: string;
}

/** What the tools of these tests return. */
interface Output extends ListedAsset {
  assetId: string;
  assets: ListedAsset[];
  posts: { excerpt?: string; body?: string }[];
}

forOneEngine("results that are cheap for a model", (fixture) => {
  const server = useMcpServer(fixture);

  async function newClient() {
    const { caller, call } = await newMcpClient(fixture, server);
    const request = (method: string, params?: Record<string, unknown>) => callModern(caller, method, params);
    const callOk = async (name: string, args: Record<string, unknown> = {}): Promise<Output> => {
      const result = await call(name, args);
      assert.ok(!result.isError, JSON.stringify(result.structuredContent));
      return result.structuredContent as unknown as Output;
    };
    return { request, call, callOk };
  }

  test("tools/list fits its budget, and so does a post with 20 files (CHEAP-1, CHEAP-3)", async () => {
    const { request, call, callOk } = await newClient();
    const { tools } = (await request("tools/list")).json.result;
    const bytesForModel = tools.reduce(
      (sum, { name, description, inputSchema }) =>
        sum + Buffer.byteLength(JSON.stringify({ name, description, inputSchema })),
      0,
    );
    assert.ok(
      bytesForModel <= 18_000,
      `${bytesForModel} bytes for the model; the limit is 18,000: shorten descriptions`,
    );
    assert.ok(Buffer.byteLength(JSON.stringify(tools)) <= 40_000, "the whole list");

    const { id: postId } = await callOk("create_post", { title: "Twenty files", body: "Look at these." });
    const base64 = (await png()).toString("base64");
    for (let i = 0; i < 20; i++) {
      const upload = { kind: "image", mimeType: "image/png", filename: `harbour-${i}.png`, base64 };
      const { assetId } = await callOk("upload_asset_inline", upload);
      await callOk("attach_asset", { postId, assetId });
    }
    const result = await call("get_post", { postId });
    const bytes = Buffer.byteLength(JSON.stringify(result.structuredContent));
    assert.ok(bytes <= 6_000, `${bytes} bytes`);
    const hasUrls = (asset: ListedAsset | undefined): boolean[] => [
      asset?.url !== undefined,
      asset?.thumbnailUrl !== undefined,
    ];
    assert.deepEqual(hasUrls((result.structuredContent as unknown as Output).assets[0]), [false, false]);
    const { assets } = await callOk("get_post", { postId, includeUrls: true });
    assert.deepEqual(hasUrls(assets[0]), [true, true]);
    const assetId = assets[0]?.id;
    assert.deepEqual(hasUrls(await callOk("get_asset", { assetId })), [false, false]);
    assert.deepEqual(hasUrls(await callOk("get_asset", { assetId, includeUrls: true })), [true, true]);
    assert.deepEqual(hasUrls(await callOk("update_asset", { assetId, altText: "A harbour" })), [false, false]);
    assert.deepEqual(hasUrls((await callOk("update_post", { postId, status: "ready" })).assets[0]), [false, false]);
  });

  test("lists have excerpts of at most 280 characters, or bodies on request (CHEAP-2)", async () => {
    const { callOk } = await newClient();
    const body = `${"x".repeat(279)}🙂 and more`;
    await callOk("create_post", { title: "Long", body });
    const [excerpted] = (await callOk("list_posts")).posts;
    assert.deepEqual([excerpted?.excerpt, excerpted?.body], ["x".repeat(279), undefined], "no half of an emoji");
    const [full] = (await callOk("list_posts", { includeBody: true })).posts;
    assert.deepEqual([full?.excerpt, full?.body], [undefined, body]);
  });

  test("an error says which id is of another kind, and which tool lists the right ones (CHEAP-5)", async () => {
    const { call, callOk } = await newClient();
    const { id: postId } = await callOk("create_post", { title: "A post" });
    const cases = [
      ["get_asset", { assetId: postId }, /^assetId is the id of a post, not of an asset\..*list_assets/],
      ["get_post", { postId: fixture.deps.newId("publication") }, /^postId is the id of a publication.*list_posts/],
      ["cancel_publication", { publicationId: postId }, /^publicationId is the id of a post.*list_publications/],
      [
        "update_post",
        { postId, revision: 1, variants: [{ connectionId: fixture.deps.newId("asset"), assetIds: [postId] }] },
        /^assetIds is the id of a post.*connectionId is the id of an asset/,
      ],
      ["publish_post", { postId, connectionIds: [postId] }, /^connectionIds is the id of a post.*list_platforms/],
      ["get_post", { postId: "pst_wrong" }, /^Call list_posts/],
    ] as const;
    for (const [name, args, hint] of cases) {
      const { structuredContent } = await call(name, args);
      assert.equal(structuredContent.code, "not_found", name);
      assert.match(structuredContent.hint, hint);
    }
  });

  test("an unknown tool name gets a suggestion (CHEAP-6)", async () => {
    const { request } = await newClient();
    for (const [name, suggestion] of [
      ["get_posts", "get_post"],
      ["createPost", "create_post"],
      ["upload_image", "upload_asset_inline"],
      ["list-asets", "list_assets"],
      ["x".repeat(10_000), ""],
    ] as const) {
      const { error } = (await request("tools/call", { name, arguments: {} })).json;
      assert.equal(error.code, -32602);
      assert.match(error.message, new RegExp(`^Unknown tool: .{1,100}\\. Did you mean ${suggestion}`));
    }
  });
});
