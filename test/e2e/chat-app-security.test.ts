import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findViolations } from "../support/axe.ts";
import { forOneEngine } from "../support/engines.ts";
import { openChat } from "../support/chat-app-fixture.ts";
import { openChromium, openObservedPage, skipWithoutChromium, type Browser, type Page } from "../support/chromium.ts";
import { waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import type { RunningService } from "../support/service.ts";
import { startUploadService } from "../support/upload-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";

const markup = `<img src="x" onerror="parent.postMessage('hit', '*')"><script>parent.postMessage("hit", "*")</script>`;

function findAppFrame(page: Page) {
  const frame = page.frames().find((candidate) => candidate.url().endsWith("/app"));
  assert.ok(frame);
  return frame;
}

forOneEngine(
  "the in-chat app and hostile hosts",
  (fixture) => {
    let browser: Browser;
    let service: RunningService;
    before(async () => {
      browser = await openChromium();
      service = await startUploadService(fixture, "disk");
    });
    after(async () => {
      await browser?.close();
      await service?.close();
    });

    for (const theme of ["light", "dark"])
      test(`proposes publications, and never publishes or approves, in ${theme} colors (CHAT-13, CHAT-15)`, async (t) => {
        const { app, page, owner, postId, readHost } = await openChat(t, service, browser, {
          bypassCSP: true,
          context: { theme },
          prepare: (caller) => newConnection(service.deps, caller, "harbour", "sandbox"),
        });
        const button = app.getByRole("button", { name: "Propose to publish" });
        await button.waitFor();
        assert.deepEqual(await findViolations(findAppFrame(page)), []);
        await waitForPaint(findAppFrame(page));
        await button.press("Enter");
        await app.getByText("Waiting for approval").first().waitFor();
        const calls = await readHost(({ toolCalls }) => toolCalls.filter(({ name }) => name === "publish_post"));
        assert.deepEqual(
          calls.map((call) => call.arguments["propose"]),
          [true],
        );
        const [publication] = await service.deps.publications.list(owner.studio.id, { postId, limit: 10 });
        assert.equal(publication?.state, "proposed", "although the grant may publish");
      });

    test("shows markup in titles, texts, filenames and accounts as text, and opens only web pages (W4, W8)", async (t) => {
      const chat = await openChat(t, service, browser, {
        capabilities: { openLinks: {} },
        changeResult: (result) => ({
          ...result,
          structuredContent: {
            ...result.structuredContent,
            title: markup,
            body: markup,
            url: "javascript:parent.postMessage('hit','*')",
            assets: [{ id: markup, filename: markup, altText: markup, mimeType: "image/png", status: "ready" }],
            validation: [
              { connectionId: "c", platform: markup, account: markup, problems: [{ level: markup, message: markup }] },
            ],
            publications: [
              { connectionId: "c", state: markup, url: "javascript:parent.postMessage('hit','*')", problem: null },
            ],
          },
        }),
      });
      await chat.app.getByRole("heading", { name: markup }).waitFor();
      await chat.app.getByRole("button", { name: /^View/ }).click();
      assert.equal(await chat.app.locator("img, main script, a").count(), 0);
      assert.equal(await chat.app.getByRole("button", { name: "Open in Atelier" }).count(), 0);
      assert.deepEqual(await chat.readHost(({ openedLinks }) => openedLinks), []);
      assert.equal(await chat.readHost(({ messages }) => JSON.stringify(messages).includes('"hit"')), false);
    });

    test("ignores messages from other windows (W8)", async (t) => {
      // Without its own calls, the app shows every newer result of its host.
      const chat = await openChat(t, service, browser, { capabilities: {} });
      await chat.app.getByRole("heading", { name: "Harbour at dawn" }).waitFor();
      const forgedPost = { id: chat.postId, title: "Forged", revision: 1000, assets: [] };
      const forgedMessage = {
        jsonrpc: "2.0",
        method: "ui/notifications/tool-result",
        params: { structuredContent: forgedPost },
      };
      // A frame next to the app, with the origin of the host.
      const script = `parent.frames[0].postMessage(${JSON.stringify(forgedMessage)}, "*"); parent.postMessage("sent " + origin, "*")`;
      const report = await chat.page.evaluate(`new Promise((resolve) => {
        addEventListener("message", ({ data }) => String(data).startsWith("sent ") && resolve(data));
        const frame = document.createElement("iframe");
        frame.srcdoc = ${JSON.stringify(`<script>${script}</script>`)};
        document.body.append(frame);
      })`);
      assert.equal(report, `sent ${new URL(chat.host.url).origin}`);
      // The host's own message arrives afterwards, so the forged one has been handled.
      await chat.sendToApp({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
      await chat.app.locator('html[data-theme="dark"]').waitFor();
      assert.equal(await chat.app.getByText("Forged").count(), 0);
      // The same message from the host has an effect.
      await chat.sendToApp(forgedMessage);
      await chat.app.getByRole("heading", { name: "Forged" }).waitFor();
    });

    test("repeated messages start no action and do not bring back old content (W8)", async (t) => {
      const chat = await openChat(t, service, browser, {
        prepare: (owner) => newConnection(service.deps, owner, "harbour", "sandbox"),
      });
      const button = chat.app.getByRole("button", { name: "Propose to publish" });
      await button.click();
      await chat.app.getByText("Waiting for approval").first().waitFor();
      await button.waitFor({ state: "hidden" });
      const forgedPost = { id: chat.postId, title: "Forged", revision: 1000, assets: [] };
      const otherPost = { ...forgedPost, id: `${chat.postId}x`, revision: 2000 };
      const oldMessages = await chat.readHost(({ sentMessages }) => [...sentMessages]);
      const callsBefore = await chat.readHost(({ toolCalls }) => toolCalls.length);
      for (const message of [...oldMessages, ...oldMessages]) await chat.sendToApp(message);
      for (const structuredContent of [forgedPost, otherPost])
        await chat.sendToApp({ method: "ui/notifications/tool-result", params: { structuredContent } });
      await chat.sendToApp({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
      await chat.app.locator('html[data-theme="dark"]').waitFor();
      assert.equal(await chat.app.locator("h1").textContent(), "Harbour at dawn");
      assert.equal(await button.count(), 0, "the old result has no publication");
      const newCalls = (await chat.readHost(({ toolCalls }) => toolCalls.map(({ name }) => name))).slice(callsBefore);
      assert.deepEqual(
        newCalls.filter((name) => name !== "get_post"),
        [],
      );
      const publications = await service.deps.publications.list(chat.owner.studio.id, {
        postId: chat.postId,
        limit: 10,
      });
      assert.equal(publications.length, 1);
    });

    test("ignores notifications before the host's first response, and sends only ui/initialize before it (W8)", async (t) => {
      const chat = await openChat(t, service, browser);
      const { page, context } = await openObservedPage(browser);
      t.after(() => context.close());
      await page.goto(`${chat.host.url}nothing`);
      // This host sends a result at once, and responds to ui/initialize later.
      await page.setContent("<main></main>");
      await page.evaluate(`{
        window.received = [];
        addEventListener("message", ({ data, source }) => {
          received.push(data);
          window.send = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
          window.sendPost = (title) => send({ method: "ui/notifications/tool-result",
            params: { structuredContent: { id: "pst_1", title, revision: 1, assets: [] } } });
          if (data.method !== "ui/initialize") return;
          sendPost("Forged");
          send({ id: "guessed", result: {} });
        });
        const frame = document.createElement("iframe");
        frame.sandbox = "allow-scripts";
        frame.src = "/app";
        document.body.append(frame);
      }`);
      const readMethods = () => page.evaluate("received.map(({ method }) => method)");
      await waitUntil(async () => ((await readMethods()) as string[]).length > 0, { timeoutMs: 60_000 });
      assert.deepEqual(await readMethods(), ["ui/initialize"]);
      await page.evaluate("send({ id: received[0].id, result: {} })");
      const isInitialized = async () => ((await readMethods()) as string[]).includes("ui/notifications/initialized");
      await waitUntil(isInitialized, { timeoutMs: 60_000 });
      // This post has the revision of the forged one, so it is shown only if the app has ignored the forged one.
      await page.evaluate('sendPost("Genuine")');
      const app = page.frameLocator("iframe");
      await app.getByRole("heading", { name: "Genuine" }).waitFor();
      assert.equal(await app.getByText("Forged").count(), 0);
    });

    test("the server does not serve the app as a page (W8)", async () => {
      const response = await fetch(`${service.base}/chat-app.html`, { headers: { accept: "text/html" } });
      assert.ok(!(await response.text()).includes("ui/initialize"));
      assert.equal(response.headers.get("x-frame-options"), "DENY");
    });
  },
  skipWithoutChromium,
);
