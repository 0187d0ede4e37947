import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import {
  expectFailure,
  skipWithoutChromium,
  openChromium,
  signInOnPage,
  openSignedIn,
  type BrowserUser,
} from "../support/chromium.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

/** An open page must show an assistant's changes within this time (WEB-5). */
const maxDelayMs = 2000;

describe("the web app, from an empty data folder", { skip: skipWithoutChromium }, () => {
  const data = createTempFolder();
  let base: string;
  let service: MainProcess;
  let browser: Browser;
  let owner: BrowserUser;
  let member: BrowserUser;
  let assistant: Assistant;
  let post: { id: string; url: string };

  before(async () => {
    base = await findFreeBaseUrl();
    const env = { DATA_DIR: `${data.path}/data`, BASE_URL: base, PORT: new URL(base).port, LOG_LEVEL: "info" };
    [service, browser] = await Promise.all([startMain(env), openChromium()]);
  });
  after(async () => {
    await assistant?.close();
    await browser?.close();
    await service?.kill();
    data.remove();
  });

  const readRevision = async (): Promise<number> => (await assistant.call("get_post", { postId: post.id }))["revision"];

  /** Asserts that an open page shows one of several changes in time; a busy machine may delay the others. */
  async function assertShownInTime(
    change: (attempt: number) => Promise<unknown>,
    waitUntilShown: (attempt: number) => Promise<void>,
  ): Promise<void> {
    const delays: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await change(attempt);
      const changedAt = performance.now();
      await waitUntilShown(attempt);
      const delayMs = performance.now() - changedAt;
      if (delayMs < maxDelayMs) return;
      delays.push(delayMs);
    }
    assert.fail(`shown after ${delays.join(" and ")} ms`);
  }

  test("a new user signs in and creates a studio, with sample posts on a dev instance (WEB-1)", async () => {
    owner = await openSignedIn(browser, base, "ada.lovelace@example.com");
    const { page } = owner;
    await page.getByRole("heading", { name: "Create your first studio" }).waitFor();
    await page.getByLabel("Studio name").fill("North");
    assert.ok(await page.getByLabel("Add three sample posts").isChecked());
    await page.getByRole("button", { name: "Create studio" }).click();
    await page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    await posts.first().waitFor(); // the heading appears before the list
    assert.equal(await posts.count(), 3);
  });

  test("an invitation link makes a user a member, who sees only what members may do (WEB-2)", async () => {
    const { page } = owner;
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByText("To leave, invite another owner first, or delete the studio in Settings.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Leave" }).isDisabled(), "a studio needs an owner");
    assert.equal(await page.getByLabel(/^Role of /).count(), 0, "the only owner can’t change their role");
    const inviteButton = page.getByRole("button", { name: "Invite someone" });
    const dialog = page.getByRole("dialog", { name: "Share this link" });
    const question = page.getByRole("dialog", { name: "Close without copying the link?" });
    await inviteButton.click();
    await page.getByRole("button", { name: "Create link" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await question.getByRole("button", { name: "Close without copying" }).click();
    await question.waitFor({ state: "detached" });
    await inviteButton.and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();

    await inviteButton.click();
    await page.getByRole("button", { name: "Create link" }).click();
    const link = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await question.getByRole("button", { name: "Keep open" }).click();
    await question.waitFor({ state: "detached" });
    await page.context().grantPermissions(["clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy Invitation link" }).click();
    await dialog.getByRole("button", { name: "Copied Invitation link" }).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(link.startsWith(`${base}/join/`));

    member = await openSignedIn(browser, base, "grace.hopper@example.com");
    await member.page.goto(link);
    await member.page.getByRole("button", { name: "Join" }).click();
    await member.page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    const linkNames = await member.page.getByRole("navigation", { name: "Studio" }).getByRole("link").allTextContents();
    assert.deepEqual(linkNames, ["Posts", "Publications", "Library", "Platforms", "AI clients", "Members", "Trash"]);
    await member.page.goto(link);
    await member.page.getByRole("heading", { name: "You’re already a member of North" }).waitFor();
    await member.page.getByRole("link", { name: "Go to the studio" }).click();
    await member.page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    await page.getByText("Grace Hopper").first().waitFor();
  });

  test("the dialog of an invitation link doesn’t ask to copy it after someone has joined with it (WEB-2)", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: "Invite someone" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    const dialog = page.getByRole("dialog", { name: "Share this link" });
    const link = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("dialog", { name: "Close without copying the link?" }).waitFor();
    const guest = await openSignedIn(browser, base, "mary.jackson@example.com");
    await guest.page.goto(link);
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    const usedDialog = page.getByRole("dialog", { name: "Mary Jackson has joined" });
    await usedDialog.getByRole("button", { name: "Done" }).click();
    await usedDialog.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("dialog").count(), 0);
    await guest.page.context().close();
    const mary = page.getByRole("listitem").filter({ hasText: "mary.jackson@example.com" });
    await mary.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await mary.waitFor({ state: "detached" });
  });

  test("a deep link works after sign-in (WEB-3)", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const clientsPath = new URL(owner.page.url()).pathname.replace("members", "clients");
    await page.goto(`${base}${clientsPath}?x=1`);
    await page.waitForURL(/\/login\?/);
    assert.equal(new URL(page.url()).searchParams.get("return_to"), `${clientsPath}?x=1`);
    await signInOnPage(page, "grace.hopper@example.com");
    await page.getByRole("heading", { name: "AI clients", exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, clientsPath);
    await context.close();
  });

  test("the AI clients page shows how to connect a client, and the client as soon as it connects (WEB-4)", async () => {
    const { page, context } = member;
    await page.getByRole("link", { name: "AI clients", exact: true }).click();
    const waiting = page.getByText("Waiting for a client");
    await waiting.waitFor();
    await page.setViewportSize({ width: 360, height: 720 });
    const [dot, text] = [await waiting.locator("span > span").boundingBox(), await waiting.boundingBox()];
    assert.ok(dot && text && dot.y + dot.height < text.y + text.height / 2, "the dot is beside the first of two lines");
    await page.setViewportSize({ width: 1280, height: 720 });
    const selectedTab = page.getByRole("tab", { selected: true });
    assert.equal(await selectedTab.textContent(), "Claude Code", "the first client that can reach this computer");
    const consent = await context.newPage();
    assistant = await connectAssistant(`${base}/mcp`, consent, "Test assistant");
    await consent.close();
    await page.bringToFront();
    await page.getByText("Test assistant is connected").waitFor();
    await page.getByRole("button", { name: "Copy Try this prompt" }).waitFor();
    await page.getByRole("list", { name: "Connected clients" }).getByText("Test assistant").waitFor();
  });

  test("the AI clients page shows that it waits for a client only until one is connected (WEB-4)", async () => {
    const { page } = member;
    await page.reload();
    await page.getByRole("list", { name: "Connected clients" }).getByText("Test assistant").waitFor();
    assert.equal(await page.getByText("is connected").count(), 0, "only a new client is announced");
    assert.equal(await page.getByText("Waiting for a client").count(), 0);
  });

  test("on a phone, commands and configurations wrap between words, at the indentation of the line (WEB-4)", async () => {
    const { page } = member;
    await page.setViewportSize({ width: 360, height: 720 });
    const revokeButton = await page.getByRole("button", { name: "Revoke Test assistant" }).boundingBox();
    assert.ok(revokeButton && revokeButton.width > 80, `a short label has a wide button: ${revokeButton?.width} px`);
    await page.getByRole("tab", { name: "Other" }).click();
    const command = page.locator("code", { hasText: "gemini mcp add" });
    const flag = await command.getByText("--transport", { exact: true }).boundingBox();
    assert.ok(flag && flag.height < 30, "the flag is in one line");
    assert.equal(await command.innerText(), `gemini mcp add --scope user --transport http atelier ${base}/mcp`);
    const commands = page.locator("code", { hasText: "opencode mcp add" });
    assert.match(await commands.innerText(), /\/mcp\nopencode mcp auth atelier$/);
    await page.getByRole("tab", { name: "Cursor" }).click();
    const configuration = page.locator("code", { hasText: "mcpServers" });
    const [key, value] = await Promise.all(
      ['"url":', `"${base}/mcp"`].map((text) => configuration.getByText(text, { exact: true }).boundingBox()),
    );
    assert.ok(key && value && value.y > key.y && Math.abs(value.x - key.x) < 2, "the value is below its key");
    assert.deepEqual(JSON.parse(await configuration.innerText()), { mcpServers: { atelier: { url: `${base}/mcp` } } });
    const copyButton = await page.getByRole("button", { name: "Copy configuration for Cursor" }).boundingBox();
    const text = await configuration.boundingBox();
    assert.ok(copyButton && text && copyButton.y >= text.y + text.height, "the button is below the text");
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("URLs of the former Connect page open the set-up on the AI clients page (WEB-4)", async () => {
    const { page } = member;
    const { pathname } = new URL(page.url());
    for (const path of ["/connect", pathname.replace(/clients$/, "connect")]) {
      await page.goto("about:blank");
      await page.goto(`${base}${path}`);
      const heading = page.getByRole("heading", { name: "Connect an AI client" });
      await heading.waitFor();
      await page.getByRole("list", { name: "Connected clients" }).waitFor();
      const url = new URL(page.url());
      assert.equal(`${url.pathname}${url.hash}`, `${pathname}#connect`);
      await waitUntil(async () => (await page.evaluate("document.activeElement?.id")) === "connect");
      await waitUntil(
        async () => {
          const box = await heading.boundingBox();
          return box !== null && box.y >= 0 && box.y < 720;
        },
        { description: "the heading is in view" },
      );
    }
  });

  test("tells members that only owners and admins can see activity, and links to posts (WEB-2)", async () => {
    const { page } = member;
    const clientsPage = page.url();
    await page.goto(clientsPage.replace(/clients#connect$/, "activity"));
    await page.getByRole("heading", { name: "Only owners and admins can see activity" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByRole("link", { name: "Go to posts" }).click();
    await page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    await page.goto(clientsPage);
  });

  test("a post that the assistant creates appears in the open list within two seconds (WEB-5)", async () => {
    const { page } = owner;
    await page.getByRole("link", { name: "Posts" }).click();
    await page.getByText("How we choose paper").waitFor();
    const titles = ["Fog over the harbour", "Rain", "Hail", "Snow"];
    await assertShownInTime(
      async (attempt) => {
        const createdPost = await assistant.call("create_post", { title: titles[attempt], body: "First line" });
        if (attempt === 0) post = createdPost as typeof post;
      },
      (attempt) => page.getByRole("link", { name: titles[attempt] ?? "" }).waitFor(),
    );
  });

  test("the open post shows changes and files of the assistant within two seconds (WEB-5)", async () => {
    const { page } = owner;
    await page.getByRole("link", { name: "Fog over the harbour" }).click();
    const body = page.getByLabel("Text", { exact: true });
    assert.equal(await body.inputValue(), "First line");
    assert.equal(page.url(), post.url);
    const bodies = ["Second line", "Third line", "Fourth line", "Fifth line"];
    await assertShownInTime(
      async (attempt) =>
        assistant.call("update_post", { postId: post.id, body: bodies[attempt], revision: await readRevision() }),
      (attempt) => waitUntil(async () => (await body.inputValue()) === bodies[attempt]),
    );
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { assetId } = await assistant.call("upload_asset_inline", {
      kind: "image",
      mimeType: "image/png",
      base64: pixel,
      filename: "fog.png",
    });
    const file = page.getByRole("button", { name: /fog\.png/ }).first();
    await assertShownInTime(
      async (attempt) => {
        if (attempt > 0) {
          await assistant.call("detach_asset", { postId: post.id, assetId });
          await file.waitFor({ state: "detached" });
        }
        await assistant.call("attach_asset", { postId: post.id, assetId });
      },
      () => file.waitFor(),
    );
  });

  test("uploads files added to the open post and attaches them (WEB-5)", async () => {
    const { page } = owner;
    const bytes = Buffer.from("Notes for the harbour series.\n".repeat(100));
    await page.locator("input[type=file]").first().setInputFiles({
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: bytes,
    });
    const tile = page.getByRole("region", { name: "Files" }).getByRole("button", { name: /^notes\.txt, / });
    await tile.waitFor();
    // A poll can show the tile before the upload is complete.
    const readFiles = async () => {
      const { assets } = await assistant.call("get_post", { postId: post.id });
      return assets.map(({ filename, status }: Record<string, string>) => `${filename} ${status}`).join();
    };
    await waitUntil(async () => (await readFiles()) === "fog.png ready,notes.txt ready", {
      description: "both files are ready",
      intervalMs: 200,
    });
  });

  test("Undo returns a removed file to its position (WEB-7)", async () => {
    const { page } = owner;
    const menuButton = page.getByRole("button", { name: "Actions for fog.png" });
    await menuButton.click();
    await page.getByRole("menuitem", { name: "Remove from post" }).click();
    await page.getByText("Removed fog.png from the post. Still in your library.").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).hover(); // a toast stays while the pointer is on it
    await menuButton.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await menuButton.waitFor();
    const tiles = page.getByRole("list", { name: "Files of this post" }).getByRole("listitem");
    const readNames = async () =>
      (await tiles.allTextContents()).map((text) => /fog\.png|notes\.txt/.exec(text)?.[0]).join();
    // A poll can return the file before it is back at its position.
    await waitUntil(async () => (await readNames()) === "fog.png,notes.txt", { description: "the file is the first" });
  });

  test("cancels a running upload after confirmation (WEB-10)", async () => {
    const { page, context } = owner;
    const cdp = await context.newCDPSession(page);
    const slowNetwork = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", slowNetwork);
    const video = { name: "video.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(9_000_000) };
    await page.locator("input[type=file]").first().setInputFiles(video);
    await page.getByText(/^\d+%$/).waitFor();
    await page.getByRole("button", { name: "Cancel upload of video.mp4" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard upload" }).click();
    await page.getByText("video.mp4", { exact: true }).waitFor({ state: "detached" });
    await cdp.detach();
    await waitUntil(async () => (await assistant.call("get_post", { postId: post.id }))["assets"].length === 2, {
      description: "the canceled upload is not on the post",
      intervalMs: 500,
    });
  });

  /** Makes an edit of the user and then, before its autosave reaches the server, one of the assistant. */
  async function editAtTheSameTime(edit: () => Promise<void>, assistantBody: string): Promise<void> {
    const { page } = owner;
    const revision = await readRevision();
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    const postUrl = `**/posts/${post.id}`;
    await page.route(postUrl, async (route) => {
      if (route.request().method() === "PATCH") await hold;
      return route.continue();
    });
    const autosave = page.waitForRequest((request) => request.method() === "PATCH");
    await edit();
    await autosave;
    await assistant.call("update_post", { postId: post.id, body: assistantBody, revision });
    release();
    await (await autosave).response();
    await page.unroute(postUrl);
  }

  test("saves edits automatically, and merges changes to other lines (WEB-6)", async () => {
    const { page } = owner;
    const body = page.getByLabel("Text", { exact: true });
    await body.fill("First\n\nSecond\n\nThird");
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal((await assistant.call("get_post", { postId: post.id }))["body"], "First\n\nSecond\n\nThird");

    // The history is read after the merged text is saved.
    const readBody = async () => (await assistant.call("get_post", { postId: post.id }))["body"];
    await page.route("**/revisions?*", async (route) => {
      await waitUntil(async () => (await readBody()) === "Zeroth\n\nFirst\n\nSecond\n\nThird line");
      return route.continue();
    });
    await editAtTheSameTime(async () => {
      await body.press("Control+End");
      await body.pressSequentially(" line");
    }, "Zeroth\n\nFirst\n\nSecond\n\nThird");
    await page.getByText("Merged with changes by Test assistant, for Grace Hopper").first().waitFor();
    await body.pressSequentially(", mine");
    const mergedBody = "Zeroth\n\nFirst\n\nSecond\n\nThird line, mine";
    assert.equal(await body.inputValue(), mergedBody, "the caret stays in its line");
    await waitUntil(async () => (await readBody()) === mergedBody);
    await page.unroute("**/revisions?*");
    assert.equal(await page.getByRole("heading", { name: "This post was changed in two places" }).count(), 0);
  });

  test("asks which version to use where user and assistant changed the same lines, and merges the rest (WEB-6)", async () => {
    const { page } = owner;
    await editAtTheSameTime(
      () => page.getByLabel("Text", { exact: true }).fill("Zeroth\n\nFirst\n\nMine\n\nThird"),
      "Zeroth, new\n\nFirst\n\nTheirs\n\nThird",
    );
    const conflict = page.getByRole("region", { name: "This post was changed in two places" });
    await conflict.getByText("Test assistant, for Grace Hopper").waitFor();
    assert.equal(await conflict.getByText("Zeroth").count(), 0, "only the overlapping part is shown");
    const primaryButton = page.getByRole("button").and(page.locator(".bg-accent"));
    assert.deepEqual(await primaryButton.allTextContents(), ["Use selected"], "the conflict comes first");
    await conflict.getByLabel(/^Their version/).waitFor();
    await conflict.getByLabel(/^Your version/).check();
    await page.getByRole("button", { name: "Use selected" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { body } = await assistant.call("get_post", { postId: post.id });
    assert.equal(body, "Zeroth, new\n\nFirst\n\nMine\n\nThird");
  });

  test("Undo restores an archived post (WEB-7)", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText("Archived.", { exact: true }).waitFor();
    assert.equal((await assistant.call("get_post", { postId: post.id }))["status"], "archived");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Mark ready" }).waitFor();
    await waitUntil(async () => (await assistant.call("get_post", { postId: post.id }))["status"] === "draft", {
      description: "the post is a draft",
      intervalMs: 200,
    });
  });

  test("a user creates a second studio and switches to it; the assistant uses it after it reconnects (WEB-8)", async () => {
    const { page } = member;
    await page.getByRole("button", { name: /Switch studio/ }).click();
    await page.getByRole("menuitem", { name: "New studio…" }).click();
    await page.getByLabel("Studio name").fill("South");
    await page.getByRole("button", { name: "Create studio" }).click();
    await page.getByText("No posts yet").waitFor();
    await page.getByRole("button", { name: /Switch studio/ }).click();
    await page.getByRole("menuitemradio", { name: /North/ }).click();
    await page
      .getByText(/stay in their current studio until they reconnect/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: /Switch studio/ }).click();
    await page.getByRole("menuitemradio", { name: /South/ }).click();
    await page.getByText("No posts yet").waitFor();

    assert.equal(
      (await assistant.call("whoami"))["studio"].name,
      "North",
      "the studio stays until the assistant reconnects",
    );
    await assistant.reconnect();
    assert.equal((await assistant.call("whoami"))["studio"].name, "South");
    await assistant.call("create_post", { title: "News from the south" });
    await page.getByRole("link", { name: "News from the south" }).waitFor();
  });

  test("rejects a revoked client at its next call, until the user consents again (WEB-9)", async () => {
    const { page } = member;
    await page.goto(`${base}/clients`); // the URL that the consent page links to
    const calls = page.getByRole("listitem").filter({ hasText: "Test assistant" }).getByText("Calls in 30 days");
    await waitUntil(async () => Number(await calls.locator("xpath=following-sibling::dd").textContent()) >= 10);
    await page.getByRole("button", { name: "Revoke Test assistant" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Waiting for a client").waitFor();
    assert.equal(await assistant.getCallStatus(), 401);
    await assert.rejects(assistant.call("whoami"), "its refresh token is revoked too");
    await assistant.close();

    assistant = await connectAssistant(`${base}/mcp`, page, "Test assistant");
    assert.equal((await assistant.call("whoami"))["studio"].name, "South");
    await page.goto(base);
    await page.getByRole("link", { name: "News from the south" }).waitFor();
  });

  test("leaving a studio needs confirmation, and deleting one needs its name (WEB-10)", async () => {
    const { page } = member;
    await page.getByRole("button", { name: /Switch studio/ }).click();
    await page.getByRole("menuitemradio", { name: /North/ }).click();
    await page.getByRole("button", { name: /^Studio: North/ }).waitFor();
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave studio" }).click();
    await page.getByRole("link", { name: "News from the south" }).waitFor();

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete studio…" }).click();
    const deleteButton = page.getByRole("button", { name: "Delete permanently" });
    assert.ok(await deleteButton.isDisabled());
    await page.getByLabel(/^Type South to confirm/).fill("South");
    await deleteButton.click();
    await page.getByRole("heading", { name: "Create your first studio" }).waitFor();
    assert.equal(await assistant.getCallStatus(), 401, "deleting the studio revoked its grant");
  });

  test("signing out ends the session, and no page logged an error (WEB-11)", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: /^Account: Ada/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expectFailure(page.context(), 401, "/api/me");
    assert.equal(await page.evaluate(async () => (await fetch("/api/me")).status), 401);
    assert.deepEqual([owner.errors, member.errors], [[], []]);
  });
});
