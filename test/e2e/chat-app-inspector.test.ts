import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { startAuthorizingProxy } from "../support/authorizing-proxy.ts";
import { startChildProgram } from "../support/child-program.ts";
import { hasChromium, openChromium, openObservedPage } from "../support/chromium.ts";
import { forOneEngine } from "../support/engines.ts";
import { findFreePorts } from "../support/free-ports.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestGrant } from "../support/tokens.ts";
import { fetchDigest, startUploadService, writeVideoFile } from "../support/upload-fixture.ts";
import { newStudio } from "../support/users.ts";

const inspector = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const videoBytes = 40 * 1024 ** 2;

if (hasChromium())
  forOneEngine("the in-chat app in the MCP Inspector", (fixture) => {
    test("shows the post and uploads a file of 40 MB (CHAT-13, CHAT-14)", async (t) => {
      const folder = createTempFolder();
      t.after(() => folder.remove());
      const service = await startUploadService(fixture, "disk");
      t.after(() => service.close());
      const { deps } = service;
      const owner = await newStudio(deps);
      const { id: postId } = await createPost(deps, owner, { title: "Harbour at dawn", body: "Boats and gulls." });
      const { token } = await createTestGrant(deps, owner);
      const proxy = await startAuthorizingProxy(`${service.base}/mcp`, token);
      t.after(() => proxy.close());
      const [port = 0, sandboxPort = 0, appPort = 0] = await findFreePorts(3);
      const program = startChildProgram([inspector, "--web"], {
        HOME: folder.path,
        HOST: "127.0.0.1",
        CLIENT_PORT: String(port),
        MCP_SANDBOX_PORT: String(sandboxPort),
        MCP_APP_ORIGIN_PORT: String(appPort),
        MCP_AUTO_OPEN_ENABLED: "false",
        MCP_INSPECTOR_API_TOKEN: "test",
        MCP_INSPECTOR_SECRET_STORE: "file",
      });
      t.after(() => program.stop());
      await program.waitForMatch(new RegExp(`:${port}`));
      const browser = await openChromium();
      t.after(() => browser.close());
      const { page, consoleProblems, requestedUrls } = await openObservedPage(browser);
      page.setDefaultTimeout(120_000);
      const query = new URLSearchParams({
        serverUrl: proxy.url,
        transport: "http",
        autoConnect: "test",
        openApp: "get_post",
        appArgs: Buffer.from(JSON.stringify({ postId })).toString("base64url"),
      });
      await page.goto(`http://127.0.0.1:${port}/?${query.toString()}`);
      await page.getByRole("button", { name: "Open App" }).click();
      // The Inspector shows the app in a frame of its sandbox, which is a frame of another origin.
      const app = page.frameLocator("iframe").frameLocator("iframe");
      await app.getByRole("heading", { name: "Harbour at dawn" }).waitFor();
      const path = `${folder.path}/harbour.mp4`;
      const digest = await writeVideoFile(path, videoBytes);
      await app.locator("input[type=file]").first().setInputFiles(path);
      await app.locator('[data-state="done"]').waitFor();
      await app.getByRole("list", { name: "Files of the post" }).getByText("harbour.mp4").waitFor();
      const { assets } = await getPost(deps, owner, { postId, includeUrls: true });
      assert.equal(await fetchDigest(assets[0]?.url ?? ""), digest);
      assert.equal(requestedUrls.filter((url) => url.startsWith(`${service.base}/files/`)).length, 8, "parts");
      assert.deepEqual(
        consoleProblems.filter((problem) => problem.includes("Content Security Policy")),
        [],
      );
    });
  });
