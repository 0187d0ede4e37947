import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { updatePost } from "#domain/posts/update-post.ts";
import { listTrash } from "#domain/trash/trash.ts";
import { findViolations } from "../support/axe.ts";
import { getBox, getBoxes } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdToasts, resizeWindow, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { phone, plannedDay, useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { attachNewFile } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };

describe("actions on posts in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["blue-harbour"] });

  const getOpenPostId = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const waitForTitle = async (page: Page, title: string): Promise<void> => {
    await waitUntil(async () => (await page.getByRole("textbox", { name: "Title" }).inputValue()) === title, {
      description: `the open post is ${title}`,
    });
    await waitForPaint(page);
  };
  const waitForFocus = (page: Page, text: string) =>
    page.waitForFunction(`document.activeElement?.textContent === ${JSON.stringify(text)}`);
  const select = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` }).check();
  const clickInMenu = async (page: Page, button: string, item: string | RegExp) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const listTrashedIds = async () =>
    (await listTrash(pages.deps, pages.owner, { limit: 20 })).items.map(({ id }) => id);
  const readHistoryIndex = (page: Page) => page.evaluate<number>("history.state.__TSR_index");

  test("duplicates a post with its files, names what it lacks, and undoes it (WEB-12)", async () => {
    const { deps, owner } = pages;
    const postId = await pages.addPost("Fog", { tags: ["harbour"], filenames: ["a.jpg"] });
    const lastFileId = await attachNewFile(deps, owner, postId, "b.jpg");
    const variant = { connectionId: pages.connectionIds[0] ?? "", body: "Fog, short.", assetIds: [lastFileId] };
    await updatePost(deps, owner, { postId, status: "ready", variants: [variant] });
    const page = await pages.open("posts");
    await clickInMenu(page, "Actions for Fog", "Duplicate");
    await page.getByText("Duplicated “Fog”.").first().waitFor();
    await holdToasts(page);
    await waitForTitle(page, "Fog (copy)");
    const copy = await pages.readPost(getOpenPostId(page));
    assert.deepEqual([copy.body, copy.status, copy.tags], ["Fog.", "draft", ["harbour"]]);
    assert.deepEqual(copy.variants, [{ ...variant, assetIds: [copy.assets[1]?.id] }]);
    const filenames = copy.assets.map(({ filename }) => filename);
    assert.deepEqual(filenames, ["a.jpg", "b.jpg"]);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("The duplicate moved to the trash.").first().waitFor();
    assert.ok((await listTrashedIds()).includes(copy.id));

    await page.getByRole("link", { name: "Fog", exact: true }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Fog over the harbour.");
    const problem = { code: "conflict", detail: "It was deleted.", hint: "" };
    await page.route(`**/assets/${lastFileId}/copy`, (route) => route.fulfill({ status: 409, json: problem }));
    await clickInMenu(page, "Actions for this post", "Duplicate");
    await page.getByText("Duplicated “Fog” without 1 file: b.jpg.").first().waitFor();
    await waitForTitle(page, "Fog (copy)");
    const secondCopy = await pages.readPost(getOpenPostId(page));
    assert.deepEqual([secondCopy.body, secondCopy.assets.length], ["Fog over the harbour.", 1]);
  });

  test("returns from a post to the same view and filters, and opens the next post (WEB-12)", async () => {
    await pages.addPost("Oldest", { tags: ["harbour"] });
    const otherId = await pages.addPost("Other");
    const middleId = await pages.addPost("Middle", { tags: ["harbour"] });
    await pages.addPost("Newest", { tags: ["harbour"] });
    const page = await pages.open("posts?tag=harbour");
    const getFocusedButton = (name: string) => page.locator("button:focus").and(page.getByRole("button", { name }));
    const nextPost = page.getByRole("button", { name: "Next post" });
    const nextAction = page.getByRole("button", { name: "Mark ready" }); // it appears later, and moves what is before it
    const controls = page
      .getByRole("combobox", { name: "Status" })
      .or(page.getByRole("button", { name: "Comments", exact: true }));
    await page.getByRole("link", { name: "Newest" }).click();
    await waitForTitle(page, "Newest");
    await nextPost.waitFor();
    assert.ok(await page.getByRole("button", { name: "Previous post" }).isDisabled());
    await nextAction.waitFor();
    const boxes = await getBoxes(controls);
    const listResponse = page.waitForResponse((response) => response.url().includes("/post-summaries"));
    await pages.goTo(page, `posts/${otherId}`);
    await waitForTitle(page, "Other");
    await listResponse;
    await nextAction.waitFor();
    assert.equal(await nextPost.count(), 0, "it is not in the filtered list");
    assert.deepEqual(await getBoxes(controls), boxes, "the buttons for other posts move no others when they appear");
    await page.goBack();
    await waitForTitle(page, "Newest");
    await nextPost.waitFor();
    await page.keyboard.press("j");
    await waitForTitle(page, "Middle");
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Edited.");
    await nextPost.click();
    await waitForTitle(page, "Oldest");
    await getFocusedButton("Previous post").waitFor();
    await page.keyboard.press("Enter");
    await waitForTitle(page, "Middle");
    await getFocusedButton("Previous post").waitFor();
    assert.equal((await pages.readPost(middleId)).body, "Edited.");
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await clickInMenu(page, "Actions for this post", "Previous post");
    await waitForTitle(page, "Newest");
    await page.getByRole("link", { name: "Posts (filtered)" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    assert.equal(new URL(page.url()).search, "?tag=harbour");
    assert.equal(await readHistoryIndex(page), 0, "it went back, which restores the position");

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
    assert.equal(await nextPost.count(), 0, "a calendar has no next post");
  });

  test("changes status and tags of several posts, moves them to the trash, and undoes it (WEB-7)", async () => {
    const ids = [await pages.addPost("One"), await pages.addPost("Two"), await pages.addPost("Three")];
    const page = await pages.open("posts");
    const readAll = () => Promise.all(ids.map((id) => pages.readPost(id)));
    const assertStatus = async (status: string) => assert.ok((await readAll()).every((post) => post.status === status));
    const undo = () => page.getByRole("button", { name: "Undo" }).last().click();
    await select(page, "One");
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByText("1 of 3 selected").waitFor();
    await resizeWindow(page, phone);
    for (const label of ["Status", "Tags", "Trash"]) {
      const { width } = await getBox(bar.getByText(label, { exact: true }));
      assert.ok(width > 1, `${label} is not only for screen readers`);
    }
    await waitForFit(page);
    await resizeWindow(page, desktop);
    await page.getByRole("checkbox", { name: "Select Three" }).click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").last().waitFor();
    assert.deepEqual(await findViolations(page), []);
    await clickInMenu(page, "Status", "Ready");
    await page.getByText("Moved 3 posts to ready.").first().waitFor();
    await assertStatus("ready");
    await undo();
    await page.getByText("Undone for 3 posts.").first().waitFor();
    await assertStatus("draft");

    await clickInMenu(page, "Tags", "Add a tag…");
    await page.getByLabel("Tag", { exact: true }).fill("Spring");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByText("Added the tag “spring” to 3 posts.").first().waitFor();
    assert.ok((await readAll()).every(({ tags }) => tags.join() === "spring"));
    await clickInMenu(page, "Tags", /^spring/);
    await page.getByText("Removed the tag “spring” from 3 posts.").first().waitFor();
    assert.ok((await readAll()).every(({ tags }) => tags.length === 0));

    await page.getByRole("button", { name: "Move to trash", exact: true }).click();
    await page.getByText("Moved 3 posts to the trash.").first().waitFor();
    assert.equal((await listTrashedIds()).length, 3);
    await undo();
    await page.getByRole("link", { name: "Two" }).waitFor();
    await waitUntil(async () => (await listTrashedIds()).length === 0, { description: "all posts are restored" });
  });

  test("reports which of several posts could not be changed, and why", async () => {
    const freeId = await pages.addPost("Free");
    const plannedId = await pages.planPost("Planned", { at: `${plannedDay}T10:00` });
    const page = await pages.open("posts");
    await page.getByRole("checkbox", { name: "Select all 2" }).check();
    const problem = { code: "too_late", detail: "It has started.", hint: "Reload the page." };
    await page.route("**/cancel", (route) => route.fulfill({ status: 409, json: problem }));
    await clickInMenu(page, "Status", "Archived");
    await page.getByRole("button", { name: "Cancel publication and archive" }).click();
    const dialog = page.getByRole("dialog", { name: "1 post wasn’t changed" });
    await dialog.getByText("Planned").waitFor();
    assert.equal((await pages.readPost(plannedId)).status, "draft");
    assert.equal((await pages.readPost(freeId)).status, "archived");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Free" }).waitFor({ state: "detached" });
  });

  test("moves through posts by keyboard, selects them, and runs commands of the page (WEB-12)", async () => {
    for (const title of ["Three", "Two", "One"]) await pages.addPost(title);
    const page = await pages.open("posts");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("link", { name: "One", exact: true }).waitFor();
    await waitForPaint(page);
    for (const title of ["One", "Two"]) {
      await page.keyboard.press("j");
      await waitForFocus(page, title);
    }
    await page.keyboard.press("x");
    await page.getByRole("checkbox", { name: "Select Two", checked: true }).waitFor();
    await page.keyboard.press("k");
    await waitForFocus(page, "One");
    await page.keyboard.press("ControlOrMeta+a");
    await page.getByText("3 selected").last().waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("3 selected").last().waitFor({ state: "detached" });
    await page.keyboard.press(".");
    await waitForFocus(page, "Open");
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("menuitem", { name: "Copy link" }).waitFor({ state: "detached" });
    // The next "." acts on the row with the focus.
    await page.locator(':focus[aria-label="Actions for One"]').waitFor();
    await page.keyboard.press(".");
    await waitForFocus(page, "Open");
    await page.getByRole("menuitem", { name: "Copy link" }).press("Enter");
    await page.getByText("Link copied.").first().waitFor();
    await page.goto(await page.evaluate<string>("navigator.clipboard.readText()"));
    await waitForTitle(page, "One");

    const comments = page.getByRole("complementary", { name: "Comments" });
    await page.keyboard.press("c");
    await comments.and(page.locator(":focus-within")).waitFor();
    await page.keyboard.press("Escape");
    await comments.waitFor({ state: "detached" });
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: "Search and commands" }).getByRole("combobox").fill("mark ready");
    await page.getByRole("option", { name: "Mark ready" }).click();
    await waitUntil(async () => (await pages.readPost(getOpenPostId(page))).status === "ready", {
      description: "the post is ready",
    });
  });

  test("without a clipboard, users can select the link of a post on the board (WEB-12)", async () => {
    await pages.addPost("Fog");
    const page = await pages.open("posts");
    // As in a browser without HTTPS.
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await pages.goTo(page, "posts?view=board");
    await clickInMenu(page, "Actions for Fog", "Copy link");
    const link = await getBox(page.getByRole("dialog", { name: "Copy the link" }).locator("code"));
    await page.mouse.move(link.x + 2, link.y + 8);
    await page.mouse.down();
    await page.mouse.move(link.right - 2, link.bottom - 8, { steps: 10 });
    await page.mouse.up();
    assert.match(await page.evaluate<string>("getSelection().toString()"), /studios/);
  });

  test("a tooltip covers no open menu, and Escape closes it (WEB-12)", async () => {
    const postId = await pages.addPost("Fog");
    const page = await pages.open(`posts/${postId}`, { user: await newMember(pages.deps, pages.owner, "admin") });
    await page.clock.install();
    await page.reload();
    const trigger = page.getByRole("button", { name: "Actions for this post" });
    const tooltip = page.getByRole("tooltip");
    await trigger.hover();
    await tooltip.waitFor();
    await page.keyboard.press("Escape");
    await tooltip.waitFor({ state: "detached" });
    const item = page.getByRole("menuitem", { name: "Copy link" });
    for (const attempt of ["first", "second"]) {
      await trigger.click();
      await item.waitFor();
      await page.clock.runFor(600); // longer than the delay of a tooltip
      assert.equal(await tooltip.count(), 0, `the ${attempt} time`);
      await page.keyboard.press("Escape");
      await item.waitFor({ state: "detached" });
    }
  });
});
