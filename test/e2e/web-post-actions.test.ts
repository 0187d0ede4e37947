import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { listTrash } from "#domain/trash/list-trash.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdToasts, waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { jpeg } from "../support/samples.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { attachNewFile, createOwner, createPostWithFiles, openStudioPage } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

describe("actions on posts in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  const errors: string[] = [];
  before(async () => void (fixture = await startWebFixture()));
  after(async () => {
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  const newOwner = () => createOwner(fixture.service.deps);
  const addPost = (owner: Caller, title: string, tags: string[] = []) =>
    createPostWithFiles(fixture.service.deps, owner, title, tags.length > 0 ? { tags } : {});
  const addImage = (owner: Caller, postId: string, filename: string) =>
    attachNewFile(fixture.service.deps, owner, postId, filename);
  const read = (owner: Caller, postId: string) => getPost(fixture.service.deps, owner, { postId });
  async function openPosts(owner: Caller, query = "", options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openStudioPage(fixture, owner, `posts${query}`, { errors, ...options });
    await page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    return page;
  }
  const getOpenPostId = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const waitForTitle = async (page: Page, title: string): Promise<void> => {
    await waitUntil(async () => (await page.getByRole("textbox", { name: "Title" }).inputValue()) === title, {
      description: `the open post is ${title}`,
    });
    await waitForPaint(page);
  };
  const waitForFocus = (page: Page, text: string) =>
    page.waitForFunction(`document.activeElement?.textContent === ${JSON.stringify(text)}`);

  test("duplicates a post with its files, names what it lacks, and undoes it (WEB-12)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const postId = await addPost(owner, "Fog", ["harbour"]);
    const connectionId = await newConnection(deps, owner, "blue-harbour", "sandbox");
    await addImage(owner, postId, "a.jpg");
    const lastImageId = await addImage(owner, postId, "b.jpg");
    const variant = { connectionId, body: "Fog, short.", assetIds: [lastImageId] };
    await updatePost(deps, owner, { postId, status: "ready", variants: [variant] });
    const page = await openPosts(owner);
    await page.getByRole("button", { name: "Actions for Fog" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByText("Duplicated “Fog”.").first().waitFor();
    await holdToasts(page);
    await waitForTitle(page, "Fog (copy)");
    const copy = await read(owner, getOpenPostId(page));
    assert.deepEqual([copy.body, copy.status, copy.tags], ["Fog.", "draft", ["harbour"]]);
    assert.deepEqual(copy.variants, [{ connectionId, body: "Fog, short.", assetIds: [copy.assets[1]?.id] }]);
    assert.deepEqual(
      copy.assets.map(({ filename }) => filename),
      ["a.jpg", "b.jpg"],
    );
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("The duplicate moved to the trash.").first().waitFor();
    const { items } = await listTrash(deps, owner, { limit: 20 });
    assert.ok(items.some(({ id }) => id === copy.id));

    await page.getByRole("link", { name: "Fog", exact: true }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Fog over the harbour.");
    const problem = { code: "conflict", detail: "It was deleted.", hint: "" };
    await page.route(`**/assets/${lastImageId}/copy`, (route) => route.fulfill({ status: 409, json: problem }));
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByText("Duplicated “Fog” without 1 file: b.jpg.").first().waitFor();
    await waitForTitle(page, "Fog (copy)");
    const secondCopy = await read(owner, getOpenPostId(page));
    assert.deepEqual([secondCopy.body, secondCopy.assets.length], ["Fog over the harbour.", 1]);
    await page.context().close();
  });

  test("returns from a post to the same view and filters, and opens the next post (WEB-12)", async () => {
    const owner = await newOwner();
    await addPost(owner, "Oldest", ["harbour"]);
    const otherId = await addPost(owner, "Other");
    const middleId = await addPost(owner, "Middle", ["harbour"]);
    await addPost(owner, "Newest", ["harbour"]);
    const page = await openPosts(owner, "?tag=harbour");
    await page.getByRole("link", { name: "Newest" }).click();
    await waitForTitle(page, "Newest");
    await page.getByRole("button", { name: "Next post" }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Previous post" }).isDisabled());
    const controls = [page.getByRole("combobox", { name: "Status" }), page.getByRole("button", { name: "Comments" })];
    const readBoxes = () => Promise.all(controls.map((control) => control.boundingBox()));
    const nextAction = page.getByRole("button", { name: "Mark ready" }); // it appears later, and moves what is before it
    await nextAction.waitFor();
    const boxes = await readBoxes();
    const listResponse = page.waitForResponse((response) => response.url().includes("/post-summaries"));
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${otherId}`);
    await waitForTitle(page, "Other");
    await listResponse;
    await nextAction.waitFor();
    assert.equal(await page.getByRole("button", { name: "Next post" }).count(), 0, "it is not in the filtered list");
    assert.deepEqual(await readBoxes(), boxes, "the buttons for other posts move no others when they appear");
    await page.goBack();
    await waitForTitle(page, "Newest");
    await page.getByRole("button", { name: "Next post" }).waitFor();
    await page.keyboard.press("j");
    await waitForTitle(page, "Middle");
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Edited.");
    await page.getByRole("button", { name: "Next post" }).click();
    await waitForTitle(page, "Oldest");
    await page
      .locator("button:focus")
      .and(page.getByRole("button", { name: "Previous post" }))
      .waitFor();
    await page.keyboard.press("Enter");
    await waitForTitle(page, "Middle");
    await page
      .locator("button:focus")
      .and(page.getByRole("button", { name: "Previous post" }))
      .waitFor();
    await page.keyboard.press("j");
    await waitForTitle(page, "Oldest");
    assert.equal((await read(owner, middleId)).body, "Edited.");
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Previous post" }).click();
    await waitForTitle(page, "Middle");
    await page.getByRole("link", { name: "Posts (filtered)" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    assert.equal(new URL(page.url()).search, "?tag=harbour");
    assert.equal(await page.evaluate("history.state.__TSR_index"), 0, "it went back, which restores the position");

    await page.getByRole("radio", { name: "Board" }).click();
    const drafts = page.getByRole("region", { name: /^Drafts/ });
    await drafts.getByRole("link", { name: "Middle" }).click();
    await page.getByRole("link", { name: "Board (filtered)" }).click();
    await drafts.waitFor();
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { tag: "harbour", view: "board" });

    await page.setViewportSize(desktop);
    await page.getByRole("radio", { name: "Calendar" }).click();
    await page.getByRole("complementary", { name: "Unscheduled" }).getByRole("link", { name: "Middle" }).click();
    await waitForTitle(page, "Middle");
    await page.getByRole("link", { name: "Calendar (filtered)" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Next post" }).count(), 0, "a calendar has no next post");
    await page.context().close();
  });

  test("asks before the user leaves edits that can't be saved, and keeps the post out of the trash (WEB-6, WEB-10)", async () => {
    const owner = await newOwner();
    const postId = await addPost(owner, "Tide");
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Tide" }).click();
    const problem = { code: "unavailable", detail: "The database is busy.", hint: "Try again." };
    await page.route(`**/posts/${postId}`, (route) =>
      route.request().method() === "PATCH" ? route.fulfill({ status: 503, json: problem }) : route.continue(),
    );
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    const backLink = page.getByRole("main").getByRole("link", { name: "Posts" });
    await text.fill("High tide at noon.");
    await page.getByRole("link", { name: "Library" }).click();
    await dialog.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Move to trash" }).click();
    await page.getByText("Your last edits aren’t saved yet. Try again in a moment.").first().waitFor();
    await backLink.click();
    await dialog.waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Stay" }).click();
    assert.equal(getOpenPostId(page), postId);
    assert.equal(await text.inputValue(), "High tide at noon.");
    await backLink.click();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await text.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("history.state.__TSR_index"), 0, "it went back, which restores the position");

    await page.getByRole("link", { name: "Tide" }).click();
    await page.unroute(`**/posts/${postId}`);
    await text.fill("Low tide at six.");
    await backLink.click();
    await text.waitFor({ state: "detached" });
    assert.equal((await read(owner, postId)).body, "Low tide at six.");
    await page.context().close();
  });

  /** Holds the start of all uploads until `release` lets them start or `reject` rejects them. */
  async function holdUploads(page: Page) {
    const hold = Promise.withResolvers<"released" | "rejected">();
    await page.route("**/api/uploads/files", async (route) => {
      if ((await hold.promise) === "released") return route.continue();
      const problem = { code: "unsupported_type", detail: "This file is not an image.", hint: "" };
      return route.fulfill({ status: 415, json: problem });
    });
    const buffer = await jpeg();
    return {
      release: () => hold.resolve("released"),
      reject: () => hold.resolve("rejected"),
      upload: async (name: string) => {
        await page.locator("input[type=file]").first().setInputFiles({ name, mimeType: "image/jpeg", buffer });
        await page.getByRole("button", { name: `Cancel upload of ${name}` }).waitFor();
      },
    };
  }

  test("continues uploads while the user is on other pages, and links to them (WEB-10)", async () => {
    const owner = await newOwner();
    await addPost(owner, "Second");
    const firstId = await addPost(owner, "First");
    const page = await openPosts(owner);
    const postUploads = await holdUploads(page);
    const indicator = page.getByRole("region", { name: "Uploads in the background" });
    await page.getByRole("link", { name: "First" }).click();
    await page.getByRole("button", { name: "Next post" }).waitFor();
    await postUploads.upload("fog.jpg");
    assert.equal(await indicator.count(), 0, "the page shows its own uploads");
    await page.keyboard.press("j");
    await waitForTitle(page, "Second");
    await indicator.getByRole("link", { name: "Uploading to “First”: 0 %" }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await page.waitForFunction("document.documentElement.scrollWidth === innerWidth");
    await page.setViewportSize(desktop);
    postUploads.release();
    await page.getByText("All files are uploaded to “First”.").first().waitFor();
    await indicator.waitFor({ state: "detached" });
    assert.deepEqual(
      (await read(owner, firstId)).assets.map(({ filename, status }) => [filename, status]),
      [["fog.jpg", "ready"]],
    );

    await page.unroute("**/api/uploads/files");
    const libraryUploads = await holdUploads(page);
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("heading", { name: "Library" }).waitFor();
    await libraryUploads.upload("reel.jpg");
    await page.getByRole("navigation").getByRole("link", { name: "Posts" }).click();
    await indicator.getByRole("link", { name: "Uploading to the library: 0 %" }).click();
    await page.getByRole("button", { name: "Cancel upload of reel.jpg" }).waitFor();
    await indicator.waitFor({ state: "detached" });
    await page.getByRole("navigation").getByRole("link", { name: "Posts" }).click();
    await indicator.waitFor();
    libraryUploads.reject();
    await indicator.getByRole("link", { name: "1 upload to the library failed" }).waitFor();
    await indicator.getByRole("button", { name: "Dismiss uploads to the library" }).click();
    await indicator.waitFor({ state: "detached" });

    await page.unroute("**/api/uploads/files");
    const pausedUploads = await holdUploads(page);
    await page.getByRole("link", { name: "Second" }).click();
    for (const name of ["mist.jpg", "rain.jpg"]) await pausedUploads.upload(name);
    await page.getByRole("button", { name: "Pause upload of mist.jpg" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Posts" }).click();
    await indicator.getByRole("link", { name: "Uploading to “Second”" }).waitFor();
    pausedUploads.release();
    await indicator.getByRole("link", { name: "Uploads to “Second” are paused" }).waitFor();
    await page.context().close();
  });

  test("asks before a post moves to the trash while files are uploading to it (WEB-10)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const postId = await addPost(owner, "Tide");
    const page = await openPosts(owner);
    const { upload } = await holdUploads(page);
    await page.getByRole("link", { name: "Tide" }).click();
    await page.getByRole("textbox", { name: "Title" }).waitFor();
    await upload("tide.jpg");
    const dialog = page.getByRole("dialog", { name: "Move “Tide” to the trash?" });
    const moveToTrash = async (button: string) => {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("menuitem", { name: "Move to trash" }).click();
      await dialog.getByText("Files are still uploading.").waitFor();
    };
    await moveToTrash("Actions for this post");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel upload of tide.jpg" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Posts" }).click();
    const indicator = page.getByRole("region", { name: "Uploads in the background" });
    await indicator.waitFor();
    await moveToTrash("Actions for Tide");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await read(owner, postId)).title, "Tide");
    await indicator.getByRole("link").click();
    await moveToTrash("Actions for this post");
    await dialog.getByRole("button", { name: "Move to trash" }).click();
    await page.getByText("“Tide” moved to the trash.").first().waitFor();
    assert.ok((await listTrash(deps, owner, { limit: 20 })).items.some(({ id }) => id === postId));
    await indicator.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("requests no upload link that was withdrawn when the post moved to the trash (WEB-11)", async () => {
    const owner = await newOwner();
    const postId = await addPost(owner, "Pier");
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Pier" }).click();
    await page.getByRole("textbox", { name: "Title" }).waitFor();
    const file = { name: "pier.jpg", mimeType: "image/jpeg", buffer: await jpeg(60, 40) };
    await page.locator("input[type=file]").first().setInputFiles(file);
    await page.getByRole("button", { name: "Actions for pier.jpg" }).waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor({ state: "detached" });
    const rejectedUrls: string[] = [];
    // A request of the post itself can be pending while the post moves to the trash.
    page.on("response", (response) => {
      if (response.status() >= 400 && response.url().includes("/api/uploads")) rejectedUrls.push(response.url());
    });
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Move to trash" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Pier" }).click();
    await page.getByRole("button", { name: "Actions for pier.jpg" }).waitFor();
    await page.waitForTimeout(500);
    assert.equal((await read(owner, postId)).assets.length, 1);
    assert.deepEqual(rejectedUrls, []);
    await page.context().close();
  });

  test("moves through posts by keyboard, selects them, and runs commands of the page (WEB-12)", async () => {
    const owner = await newOwner();
    for (const title of ["Three", "Two", "One"]) await addPost(owner, title);
    const page = await openPosts(owner, "", { permissions: ["clipboard-read", "clipboard-write"] });
    const readClipboard = () => page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("link", { name: "One", exact: true }).waitFor();
    await waitForPaint(page);
    await page.keyboard.press("j");
    await waitForFocus(page, "One");
    await page.keyboard.press("j");
    await waitForFocus(page, "Two");
    await page.keyboard.press("x");
    await page.getByRole("checkbox", { name: "Select Two", checked: true }).waitFor();
    await page.keyboard.press("k");
    await waitForFocus(page, "One");
    await page.keyboard.press("ControlOrMeta+a");
    await page.getByText("3 selected").last().waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("3 selected").last().waitFor({ state: "detached" });
    for (const attempt of ["first", "second"]) {
      await page.keyboard.press(".");
      await waitForFocus(page, "Open");
      assert.deepEqual(await findViolations(page), [], `the ${attempt} time`);
      await page.keyboard.press("Escape");
      await page.getByRole("menuitem", { name: "Copy link" }).waitFor({ state: "detached" });
      // The next "." acts on the row with the focus.
      await page.locator(':focus[aria-label="Actions for One"]').waitFor();
    }
    await page.keyboard.press(".");
    await waitForFocus(page, "Open");
    await page.getByRole("menuitem", { name: "Copy link" }).press("Enter");
    await page.getByText("Link copied.").first().waitFor();
    const url = String(await readClipboard());
    await page.goto(url);
    await waitForTitle(page, "One");

    await page.keyboard.press("c");
    await page.getByRole("complementary", { name: "Comments" }).and(page.locator(":focus-within")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "Comments" }).waitFor({ state: "detached" });
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: "Search and commands" }).getByRole("combobox").fill("mark ready");
    await page.getByRole("option", { name: "Mark ready" }).click();
    await waitUntil(async () => (await read(owner, getOpenPostId(page))).status === "ready", {
      description: "the post is ready",
    });
    await page.context().close();
  });

  test("keeps the dialogs of a row while the list scrolls, and lets users select a link on the board (WEB-12)", async () => {
    const owner = await newOwner();
    for (let number = 1; number <= 60; number++) await addPost(owner, `Post ${number}`);
    const page = await openPosts(owner);
    // The rows are rendered in steps, and a click between two of them can be lost.
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: "Actions for Post 60" }).click();
    await page.getByRole("menuitem", { name: "Schedule…" }).click();
    const schedule = page.getByRole("dialog", { name: "Schedule post Post 60" });
    await schedule.waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    const row = page.getByText("Post 60", { exact: true }).and(page.locator(":not(dialog *)"));
    await row.waitFor({ state: "detached" });
    await schedule.getByRole("button", { name: "Close" }).click();
    await schedule.waitFor({ state: "detached" });

    // As in a browser without HTTPS.
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts?view=board`);
    await page.getByRole("button", { name: "Actions for Post 60" }).click();
    await page.getByRole("menuitem", { name: "Copy link" }).click();
    const link = await page.getByRole("dialog", { name: "Copy the link" }).locator("code").boundingBox();
    assert.ok(link);
    await page.mouse.move(link.x + 2, link.y + 8);
    await page.mouse.down();
    await page.mouse.move(link.x + link.width - 2, link.y + link.height - 8, { steps: 10 });
    await page.mouse.up();
    assert.match(String(await page.evaluate("getSelection().toString()")), /studios/);
    await page.context().close();
  });

  test("a tooltip covers no open menu, and Escape closes it (WEB-12)", async () => {
    const owner = await newOwner();
    await addPost(owner, "Fog");
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Fog" }).click();
    const trigger = page.getByRole("button", { name: "Actions for this post" });
    const tooltip = page.getByRole("tooltip");
    await trigger.hover();
    await tooltip.waitFor();
    await page.keyboard.press("Escape");
    await tooltip.waitFor({ state: "detached" });
    for (const attempt of ["first", "second"]) {
      await trigger.click();
      await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
      await page.waitForTimeout(600); // longer than the delay of a tooltip
      assert.equal(await tooltip.count(), 0, `the ${attempt} time`);
      await page.keyboard.press("Escape");
      await page.getByRole("menuitem", { name: "Copy link" }).waitFor({ state: "detached" });
    }
    await page.context().close();
  });
});
