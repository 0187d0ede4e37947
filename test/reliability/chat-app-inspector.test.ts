import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { startAuthorizingProxy, type AuthorizingProxy } from "../support/authorizing-proxy.ts";
import { startChildProgram, type ChildProgram } from "../support/child-program.ts";
import { openChromium, openObservedPage, skipWithoutChromium, type Browser } from "../support/chromium.ts";
import { forOneEngine } from "../support/engines.ts";
import { findFreePorts } from "../support/free-ports.ts";
import type { RunningService } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestGrant } from "../support/tokens.ts";
import { fetchDigest, startUploadService, writeVideoFile } from "../support/upload-fixture.ts";
import { newStudio } from "../support/users.ts";

const inspector = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
/** Two parts. */
const videoBytes = 8 * 1024 ** 2;
/** The Inspector handles each part several times, which takes minutes on a machine that is busy. */
const timeout = { timeout: 180_000 };

forOneEngine(
  "the in-chat app in the MCP Inspector",
  (fixture) => {
    const folder = createTempFolder();
    const video = { path: `${folder.path}/harbour.mp4`, digest: "" };
    let inspectorUrl: string;
    let program: ChildProgram;
    let browser: Browser;
    let service: RunningService;
    let authorizingProxy: AuthorizingProxy;
    let owner: Caller;
    before(async () => {
      const [inspectorPort = 0, sandboxPort = 0, appPort = 0] = await findFreePorts(3);
      inspectorUrl = `http://127.0.0.1:${inspectorPort}/`;
      program = startChildProgram([inspector, "--web"], {
        HOME: folder.path,
        HOST: "127.0.0.1",
        CLIENT_PORT: String(inspectorPort),
        MCP_SANDBOX_PORT: String(sandboxPort),
        MCP_APP_ORIGIN_PORT: String(appPort),
        MCP_AUTO_OPEN_ENABLED: "false",
        MCP_INSPECTOR_API_TOKEN: "test",
        MCP_INSPECTOR_SECRET_STORE: "file",
      });
      service = await startUploadService(fixture, "disk");
      owner = await newStudio(service.deps);
      const { token } = await createTestGrant(service.deps, owner);
      authorizingProxy = await startAuthorizingProxy(`${service.base}/mcp`, token);
      browser = await openChromium();
      video.digest = await writeVideoFile(video.path, videoBytes);
      await program.waitForMatch(new RegExp(`:${inspectorPort}`));
    });
    after(async () => {
      await browser?.close();
      await program?.stop();
      await authorizingProxy?.close();
      await service?.close();
      folder.remove();
    });

    /** Opens the Inspector, which shows a new post in the app. */
    async function openInspector(t: TestContext) {
      const { id: postId } = await createPost(service.deps, owner, {
        title: "Harbour at dawn",
        body: "Boats and gulls.",
      });
      const observed = await openObservedPage(browser);
      t.after(() => observed.context.close());
      const { page, context, consoleProblems } = observed;
      context.setDefaultTimeout(timeout.timeout);
      const query = new URLSearchParams({
        serverUrl: authorizingProxy.url,
        transport: "http",
        autoConnect: "test",
        openApp: "get_post",
        appArgs: Buffer.from(JSON.stringify({ postId })).toString("base64url"),
      });
      await page.goto(`${inspectorUrl}?${query.toString()}`);
      // The sidebar is slow: for each new message it formats all messages again, including tool calls that contain file
      // parts.
      await page.getByRole("button", { name: "Close monitoring sidebar" }).click();
      await page.getByRole("button", { name: "Open App" }).click();
      // The Inspector shows the app in a frame of its sandbox, which is a frame of another origin.
      const app = page.frameLocator("iframe").frameLocator("iframe");
      await app.getByRole("heading", { name: "Harbour at dawn" }).waitFor();
      return { page, consoleProblems, app, postId };
    }

    /** Uploads the video in the app. Returns how many parts the browser sent to the store. */
    async function uploadVideo(t: TestContext, { blocksStore = false } = {}) {
      const { page, app, postId, consoleProblems } = await openInspector(t);
      let directParts = 0;
      page.on("requestfinished", (request) => void (request.method() === "PUT" && directParts++));
      await page.route(`${service.base}/files/**`, (route) =>
        blocksStore && route.request().method() === "PUT" ? route.abort() : route.continue(),
      );
      await app.locator("input[type=file]").first().setInputFiles(video.path);
      await app.locator('[data-state="done"]').waitFor(timeout);
      await app.getByRole("list", { name: "Files of the post" }).getByText("harbour.mp4").waitFor();
      const { assets } = await getPost(service.deps, owner, { postId, includeUrls: true });
      assert.deepEqual(
        assets.map(({ filename, status }) => [filename, status]),
        [["harbour.mp4", "ready"]],
      );
      assert.equal(await fetchDigest(assets[0]?.url ?? ""), video.digest);
      return { directParts, consoleProblems };
    }

    test("shows the post, and uploads a video to the store (CHAT-13, CHAT-14)", async (t) => {
      const { directParts, consoleProblems } = await uploadVideo(t);
      assert.equal(directParts, 2);
      assert.deepEqual(
        consoleProblems.filter((problem) => problem.includes("Content Security Policy")),
        [],
      );
    });

    // To the app, a request without the store's CORS headers looks like one that failed.
    test("uploads a video through tool calls if the store does not accept the app's origin (CHAT-14)", async (t) => {
      assert.equal((await uploadVideo(t, { blocksStore: true })).directParts, 0);
    });
  },
  skipWithoutChromium,
);
