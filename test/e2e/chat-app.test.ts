import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { openChat, type OpenedChat } from "../support/chat-app-fixture.ts";
import { openChromium, skipWithoutChromium, type Browser } from "../support/chromium.ts";
import { forOneEngine } from "../support/engines.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { png } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { listStoreNames } from "../support/stores.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import {
  chooseFiles,
  fetchDigest,
  startUploadService,
  throttleUploads,
  writeVideoFile,
} from "../support/upload-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { attachNewFile } from "../support/web-posts.ts";

/** Four parts. Encoding them takes most of the time of a test on a busy machine. */
const videoBytes = 20 * 1024 ** 2;
const timeout = { timeout: 120_000 };
const waitOptions = { timeoutMs: 60_000 };

for (const store of listStoreNames())
  forOneEngine(
    `the in-chat app on ${store}`,
    (fixture) => {
      const folder = createTempFolder();
      const video = { path: `${folder.path}/harbour.mp4`, digest: "" };
      let browser: Browser;
      let service: RunningService;
      before(async () => {
        browser = await openChromium();
        service = await startUploadService(fixture, store);
        // Hosts choose the origin of the app.
        if (store === "s3") await (service.deps.files as S3Store).allowCorsOrigins(["*"]);
        video.digest = await writeVideoFile(video.path, videoBytes);
      });
      after(async () => {
        await browser?.close();
        await service?.close();
        folder.remove();
      });

      const chooseFile = ({ app }: OpenedChat, file: Parameters<Locator["setInputFiles"]>[0]) =>
        app.locator("input[type=file]").first().setInputFiles(file);
      const waitUntilDone = ({ app }: OpenedChat) => app.locator('[data-state="done"]').waitFor(timeout);
      async function assertVideoIsOnPost({ owner, postId }: OpenedChat): Promise<void> {
        const { assets } = await getPost(service.deps, owner, { postId, includeUrls: true });
        assert.deepEqual(
          assets.map(({ filename, status }) => [filename, status]),
          [["harbour.mp4", "ready"]],
        );
        assert.equal(await fetchDigest(assets[0]?.url ?? ""), video.digest);
      }
      async function waitForLink({ readHost }: OpenedChat): Promise<string> {
        await waitUntil(async () => (await readHost(({ openedLinks }) => openedLinks.length)) === 1, waitOptions);
        return (await readHost(({ openedLinks }) => openedLinks[0])) ?? "";
      }

      async function loseNetwork(chat: OpenedChat, beforeReconnect = async () => {}): Promise<void> {
        const { app, context, owner, postId } = chat;
        await context.setOffline(true);
        await app.getByText("You are offline.").first().waitFor();
        const { assets } = await getPost(service.deps, owner, { postId });
        assert.equal(assets[0]?.status, "pending");
        // Called while the browser is still offline, so that the first retry after it succeeds: after a failed retry, the
        // app waits longer.
        await beforeReconnect();
        await context.setOffline(false);
      }

      test("uploads straight to the store where the host's policy allows it, and resumes after a lost network (CHAT-14)", async (t) => {
        const chat = await openChat(t, service, browser, { appliesDeclaredCsp: true });
        const partOrigins = new Set<string>();
        chat.page.on("request", (request) => {
          if (request.method() === "PUT") partOrigins.add(new URL(request.url()).origin);
        });
        await throttleUploads(chat.page, videoBytes / 10);
        await chooseFile(chat, video.path);
        await chat.page.waitForRequest((request) => request.method() === "PUT");
        await loseNetwork(chat);
        await waitUntilDone(chat);
        assert.equal(await chat.countCalls("app_send_part"), 0);
        assert.deepEqual([...partOrigins], [service.deps.files.origin]);
        assert.equal(partOrigins.has(new URL(service.base).origin), store === "disk");
        await assertVideoIsOnPost(chat);
        await chat.app.getByRole("list", { name: "Files of the post" }).getByText("harbour.mp4").waitFor();
      });

      test("uploads through tool calls where the store does not accept the app's origin (CHAT-14)", async (t) => {
        const chat = await openChat(t, service, browser, { appliesDeclaredCsp: true });
        // To the app, a request without the store's CORS headers looks like one that failed.
        await chat.page.route(`${service.deps.files.origin}/**`, (route) =>
          route.request().method() === "PUT" ? route.abort() : route.continue(),
        );
        const buffer = await png(300, 200);
        await chooseFile(chat, { name: "gull.png", mimeType: "image/png", buffer });
        await waitUntilDone(chat);
        assert.equal(await chat.countCalls("app_send_part"), 1);
        const { assets } = await getPost(service.deps, chat.owner, { postId: chat.postId, includeUrls: true });
        assert.equal(await fetchDigest(assets[0]?.url ?? ""), createHash("sha256").update(buffer).digest("hex"));
      });

      if (store !== "disk") return; // the other tests do not depend on the store

      test("opens the upload page where the host does not offer the app's tools (CHAT-14)", async (t) => {
        const chat = await openChat(t, service, browser, { hiddenTools: /^app_/ });
        await chooseFile(chat, video.path);
        await chat.app.getByText("This chat can’t receive files here.").first().waitFor();
        await chat.app.getByRole("button", { name: "Upload in the browser" }).click();
        const url = await waitForLink(chat);
        const page = await chat.context.newPage();
        await page.goto(url);
        await chooseFiles(page, video.path);
        await page.locator('[data-state="done"]').waitFor(timeout);
        await assertVideoIsOnPost(chat);
      });

      test("uploads through tool calls where the policy allows no connections, and resumes after a lost network (CHAT-14)", async (t) => {
        const { promise: thirdPart, resolve: reportThirdPart } = Promise.withResolvers<void>();
        const { promise: networkIsBack, resolve: endLoss } = Promise.withResolvers<void>();
        let partCount = 0;
        let isNetworkLost = true;
        const chat = await openChat(t, service, browser, {
          async onAppCall(tool) {
            if (tool !== "app_send_part" || ++partCount < 3 || !isNetworkLost) return true;
            reportThirdPart();
            await networkIsBack;
            return false;
          },
        });
        await chat.page.clock.install();
        await chooseFile(chat, video.path);
        await thirdPart;
        await loseNetwork(chat, async () => {
          // Longer than the waits before the first retries. The app must not retry while offline: encoding parts that
          // cannot be sent would block it.
          await chat.page.clock.fastForward(2500);
          const sentParts = await chat.readHost(({ toolCalls }) =>
            toolCalls.filter(({ name }) => name === "app_send_part").map((call) => call.arguments["part"]),
          );
          assert.deepEqual(sentParts, [...new Set(sentParts)], "no part is sent again while the browser is offline");
          isNetworkLost = false;
          endLoss();
        });
        await waitUntilDone(chat);
        assert.ok(partCount > 4, `${partCount} calls`);
        await assertVideoIsOnPost(chat);
      });

      test("shows the post once initialized, in the host's theme, language and size (CHAT-13)", async (t) => {
        const chat = await openChat(t, service, browser, { context: { theme: "dark", locale: "de-AT" } });
        const { app, page } = chat;
        const { text, mimeType } = chat.host.resource;
        assert.ok(Buffer.byteLength(text) <= 150_000, `${Buffer.byteLength(text)} bytes`);
        assert.equal(mimeType, "text/html;profile=mcp-app");
        await app.getByRole("heading", { name: "Harbour at dawn" }).waitFor();
        await app.getByText("Boats and gulls.").waitFor();
        await app.getByText("Entwurf").waitFor();
        await app.getByRole("button", { name: "Im Browser hochladen" }).waitFor();
        assert.equal(await app.locator("html").getAttribute("data-theme"), "dark");
        assert.equal(await app.locator("html").getAttribute("lang"), "de");
        const hasAppHeight = async (): Promise<boolean> => {
          const appHeight = (await app.locator("body").boundingBox())?.height ?? 0;
          const frameHeight = (await page.locator("iframe").boundingBox())?.height ?? 0;
          return appHeight > 0 && Math.abs(appHeight - frameHeight) <= 5;
        };
        await waitUntil(hasAppHeight, { ...waitOptions, description: "the frame is as high as the app" });
        await chat.sendToApp({
          method: "ui/notifications/host-context-changed",
          params: { theme: "light", locale: "fr" },
        });
        await app.getByText("Brouillon").waitFor();
        assert.equal(await app.locator("html").getAttribute("data-theme"), "light");
        assert.deepEqual(chat.consoleProblems, []);
      });

      test("names how many of the post's files an account gets (CHAT-13)", async (t) => {
        const { deps } = service;
        const chat = await openChat(t, service, browser, {
          async prepare(owner, postId) {
            const assetId = await attachNewFile(deps, owner, postId, "first.pdf");
            await attachNewFile(deps, owner, postId, "second.pdf");
            const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
            await updatePost(deps, owner, { postId, variants: [{ connectionId, assetIds: [assetId] }] });
          },
        });
        await chat.app.getByText(/^harbour · sandbox · 1 of 2 files$/i).waitFor();
      });

      test("shows the state of a partly published post, and does not select the account that has it (CHAT-13)", async (t) => {
        const { deps } = service;
        const chat = await openChat(t, service, browser, {
          async prepare(owner, postId) {
            await updatePost(deps, owner, { postId, body: "Text" });
            const connectionIds = [];
            for (const account of ["harbour", "mill"])
              connectionIds.push(await newConnection(deps, owner, account, "sandbox"));
            await publishPost(deps, owner, { postId, connectionIds, propose: true });
            const [publication] = (await getPost(deps, owner, { postId })).publications ?? [];
            assert.equal(publication?.account, "mill");
            const published = { state: "published", publishedAt: deps.clock(), nextRunAt: null, dueAt: null } as const;
            await deps.writes.publications.update(publication.id, published, { states: ["proposed"] });
          },
        });
        await chat.app.getByText("1 of 2 published", { exact: true }).waitFor();
        assert.equal(await chat.app.getByRole("checkbox", { name: "mill · Sandbox" }).isChecked(), false);
        assert.equal(await chat.app.getByRole("checkbox").count(), 1, "harbour waits for approval");
      });

      test("reads the post when a conversation is opened again, and does not go back to the old result (CHAT-13)", async (t) => {
        const chat = await openChat(t, service, browser, {
          isClockPaused: true,
          changeResult: ({ structuredContent }) => ({
            structuredContent: { ...structuredContent, title: "Harbour last month" },
          }),
        });
        await chat.app.getByRole("heading", { name: "Harbour last month" }).waitFor();
        // Less than the interval at which the app reads the post again.
        await chat.page.clock.runFor(2000);
        await chat.app.getByRole("heading", { name: "Harbour at dawn" }).waitFor();
        const [oldResult] = await chat.readHost(({ sentMessages }) =>
          sentMessages.filter(({ method }) => method === "ui/notifications/tool-result"),
        );
        assert.ok(oldResult);
        await chat.sendToApp(oldResult);
        await chat.sendToApp({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
        await chat.app.locator('html[data-theme="dark"]').waitFor();
        assert.equal(await chat.app.locator("h1").textContent(), "Harbour at dawn");
      });

      test("opens a new link instead of the one in the conversation, if the host lets it (CHAT-14)", async (t) => {
        const expiredUrl = "https://atelier.example/u/expired";
        const options = {
          tool: "create_upload_session",
          changeResult: () => ({ structuredContent: { url: expiredUrl } }),
        };
        const openUploadPage = async (chat: OpenedChat): Promise<string> => {
          await chat.app.getByRole("button", { name: "Upload in the browser" }).click();
          return waitForLink(chat);
        };
        const url = await openUploadPage(await openChat(t, service, browser, options));
        assert.ok(url.startsWith(`${service.deps.uploadPage}/u/`), url);
        for (const limits of [{ hiddenTools: /^create_upload_session$/ }, { capabilities: { openLinks: {} } }])
          assert.equal(
            await openUploadPage(await openChat(t, service, browser, { ...options, ...limits })),
            expiredUrl,
          );
      });

      test("shows thumbnails as data URIs, and loads one again after a lost network (CHAT-13)", async (t) => {
        let callCount = 0;
        const chat = await openChat(t, service, browser, {
          onAppCall: async (tool) => tool !== "app_get_thumbnail" || ++callCount > 1,
          prepare: (owner, postId) => attachNewFile(service.deps, owner, postId, "gull.jpg"),
        });
        await waitUntil(() => callCount > 0, waitOptions);
        const image = chat.app.getByRole("list", { name: "Files of the post" }).locator("img");
        const resendResult = () =>
          chat.readHost(({ sentMessages, sendToApp }) =>
            sendToApp(sentMessages.find(({ method }) => method === "ui/notifications/tool-result") ?? {}),
          );
        // The app reads the post again after each result.
        const isShownAfterNextRead = async (): Promise<boolean> => {
          await resendResult();
          return (await image.count()) === 1;
        };
        await waitUntil(isShownAfterNextRead, { ...waitOptions, intervalMs: 200 });
        assert.match((await image.getAttribute("src")) ?? "", /^data:image\/webp;base64,/);
        const getWidth = () =>
          image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth);
        await waitUntil(async () => (await getWidth()) > 0, waitOptions);
      });
    },
    skipWithoutChromium,
  );
