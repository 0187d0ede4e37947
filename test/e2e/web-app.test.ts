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
import { png } from "../support/samples.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

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

  const readPost = () => assistant.call("get_post", { postId: post.id });
  const readRevision = async (): Promise<number> => (await readPost())["revision"];

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
    const dialog = page.getByRole("dialog", { name: "Share this link" });
    const question = page.getByRole("dialog", { name: "Close without copying the link?" });
    const createLink = async (): Promise<string> => {
      await page.getByRole("button", { name: "Invite someone" }).click();
      await page.getByRole("button", { name: "Create link" }).click();
      return (await dialog.locator("code").textContent()) ?? "";
    };
    const link = await createLink();
    assert.ok(link.startsWith(`${base}/join/`));
    await dialog.getByRole("button", { name: "Done" }).click();
    await question.getByRole("button", { name: "Keep open" }).click();
    await question.waitFor({ state: "detached" });

    member = await openSignedIn(browser, base, "grace.hopper@example.com");
    await member.page.goto(link);
    await member.page.getByRole("button", { name: "Join" }).click();
    await member.page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    const linkNames = await member.page.getByRole("navigation", { name: "Studio" }).getByRole("link").allTextContents();
    assert.deepEqual(linkNames, [
      "Posts",
      "Calendar",
      "Approvals",
      "Publications",
      "Results",
      "Library",
      "Platforms",
      "AI clients",
      "Members",
      "Trash",
    ]);
    await member.page.goto(link);
    await member.page.getByRole("heading", { name: "You’re already a member of North" }).waitFor();
    await member.page.getByRole("link", { name: "Go to the studio" }).click();
    await member.page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    await page.getByText("Grace Hopper").first().waitFor();

    // The link is used, so it need not be copied.
    await page.getByRole("dialog", { name: "Grace Hopper has joined" }).getByRole("button", { name: "Done" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await createLink();
    await page.context().grantPermissions(["clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy Invitation link" }).click();
    await dialog.getByRole("button", { name: "Copied Invitation link" }).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await createLink();
    await dialog.getByRole("button", { name: "Done" }).click();
    await question.getByRole("button", { name: "Close without copying" }).click();
    await question.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Invite someone" }).and(page.locator(":focus")).waitFor();
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
    await page.getByText("Waiting for a client").waitFor();
    const selectedTab = page.getByRole("tab", { selected: true });
    assert.equal(await selectedTab.textContent(), "Claude Code", "the first client that can reach this computer");
    const consent = await context.newPage();
    assistant = await connectAssistant(`${base}/mcp`, consent, "Test assistant");
    await consent.close();
    await page.bringToFront();
    await page.getByText("Test assistant is connected").waitFor();
    await page.getByRole("button", { name: "Copy Try this prompt" }).waitFor();
    const connectedClients = page.getByRole("list", { name: "Connected clients" });
    await connectedClients.getByText("Test assistant").waitFor();
    await page.reload();
    await connectedClients.getByText("Test assistant").waitFor();
    assert.equal(await page.getByText("is connected").count(), 0, "only a new client is announced");
    assert.equal(await page.getByText("Waiting for a client").count(), 0);
  });

  test("on a phone, commands and configurations wrap between words, at the indentation of the line (WEB-4)", async () => {
    const { page } = member;
    await page.setViewportSize({ width: 360, height: 720 });
    await page.getByRole("tab", { name: "Other" }).click();
    const commands = page.locator("code", { hasText: "opencode mcp add" });
    assert.match(await commands.innerText(), /\/mcp\nopencode mcp auth atelier$/);
    await page.getByRole("tab", { name: "Cursor" }).click();
    const configuration = page.locator("code", { hasText: "mcpServers" });
    const [key, value] = await Promise.all(
      ['"url":', `"${base}/mcp"`].map((text) => configuration.getByText(text, { exact: true }).boundingBox()),
    );
    assert.ok(key && value && value.y > key.y && Math.abs(value.x - key.x) < 2, "the value is below its key");
    assert.deepEqual(JSON.parse(await configuration.innerText()), { mcpServers: { atelier: { url: `${base}/mcp` } } });
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("open pages show what the assistant creates, changes and attaches, without a reload (WEB-5)", async () => {
    const { page } = owner;
    await page.getByRole("link", { name: "Posts" }).click();
    await page.getByText("How we choose paper").waitFor();
    post = (await assistant.call("create_post", { title: "Fog over the harbour", body: "First line" })) as typeof post;
    await page.getByRole("link", { name: "Fog over the harbour" }).click();
    const body = page.getByLabel("Text", { exact: true });
    assert.equal(await body.inputValue(), "First line");
    assert.equal(page.url(), post.url);
    await assistant.call("update_post", { postId: post.id, body: "Second line", revision: await readRevision() });
    await waitUntil(async () => (await body.inputValue()) === "Second line");
    const { assetId } = await assistant.call("upload_asset_inline", {
      kind: "image",
      mimeType: "image/png",
      base64: (await png()).toString("base64"),
      filename: "fog.png",
    });
    await assistant.call("attach_asset", { postId: post.id, assetId });
    await page
      .getByRole("button", { name: /fog\.png/ })
      .first()
      .waitFor();
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

  test("saves edits, asks which version to use where user and assistant changed the same lines, and merges the rest (WEB-6)", async () => {
    const { page } = owner;
    const body = page.getByLabel("Text", { exact: true });
    await body.fill("Zeroth\n\nFirst\n\nSecond\n\nThird");
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal((await readPost())["body"], "Zeroth\n\nFirst\n\nSecond\n\nThird");
    const edit = () => body.fill("Zeroth\n\nFirst\n\nMine\n\nThird");
    await editAtTheSameTime(edit, "Zeroth, new\n\nFirst\n\nTheirs\n\nThird");
    const conflict = page.getByRole("region", { name: "This post was changed in two places" });
    await conflict.getByText("Test assistant, for Grace Hopper").waitFor();
    assert.equal(await conflict.getByText("Zeroth").count(), 0, "only the overlapping part is shown");
    const primaryButton = page.getByRole("button").and(page.locator(".bg-accent"));
    assert.deepEqual(await primaryButton.allTextContents(), ["Use selected"], "the conflict comes first");
    await conflict.getByLabel(/^Their version/).waitFor();
    await conflict.getByLabel(/^Your version/).check();
    await page.getByRole("button", { name: "Use selected" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal((await readPost())["body"], "Zeroth, new\n\nFirst\n\nMine\n\nThird");

    const addLine = () => body.press("Control+End").then(() => body.pressSequentially(" line"));
    await editAtTheSameTime(addLine, "Zeroth\n\nFirst\n\nMine\n\nThird");
    await page.getByText("Merged with changes by Test assistant, for Grace Hopper").first().waitFor();
    await waitUntil(async () => (await readPost())["body"] === "Zeroth\n\nFirst\n\nMine\n\nThird line");
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
    // Counts are saved now and then, and the page does not ask for them again.
    await waitUntil(async () => {
      await page.reload();
      return Number(await calls.locator("xpath=following-sibling::dd").textContent()) >= 10;
    });
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

  test("Settings checks the connection, and names what a proxy changes (GRANT-20)", async () => {
    const { page } = owner;
    expectFailure(page.context(), 401, "/mcp");
    await page.getByRole("link", { name: "Settings" }).click();
    const checkButton = page.getByRole("button", { name: "Check the connection" });
    await checkButton.click();
    await page.getByText("This browser found no problem.").waitFor();
    const results = page.getByRole("list", { name: "Connection checks" }).getByRole("listitem");
    assert.equal(await results.count(), 7);
    await page.route("**/.well-known/oauth-authorization-server", (route) => route.fulfill({ status: 404 }));
    await checkButton.click();
    await results.getByRole("img", { name: "Failed" }).waitFor();
    await page.getByText("Make the proxy forward every path of the host name to Atelier").waitFor();
    await page.unroute("**/.well-known/oauth-authorization-server");
  });

  test("leaving a studio needs confirmation, and deleting one needs its name (WEB-10)", async () => {
    const { page } = member;
    expectFailure(page.context(), 404, /^\/api\/studios\/std_\w+\//); // what the page requested before it left
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
    expectFailure(page.context(), 401, "/api/me");
    await page.getByRole("button", { name: /^Account: Ada/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate(async () => (await fetch("/api/me")).status), 401);
    assert.deepEqual([owner.errors, member.errors], [[], []]);
  });
});
