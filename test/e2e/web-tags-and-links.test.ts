import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/add-comment.ts";
import { resolveComment } from "#domain/comments/resolve-comment.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { sendBackPublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { blockPolls, pressMenuItem, waitForFit } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { newMember } from "../support/users.ts";
import { createOwner, createPostWithFiles, openStudioPage } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

describe("tags and links in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  const errors: string[] = [];
  before(async () => {
    fixture = await startWebFixture();
    owner = await createOwner(fixture.service.deps);
  });
  after(async () => {
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  const addPost = (title: string, tags: string[] = []) =>
    createPostWithFiles(fixture.service.deps, owner, title, tags.length > 0 ? { tags } : {});
  const readTags = async (postId: string) => (await getPost(fixture.service.deps, owner, { postId })).tags;
  const openPage = (path: string, options: BrowserContextOptions = {}) =>
    openStudioPage(fixture, owner, path, { errors, ...options });

  test("keeps a tag that another member has just added (WEB-12)", async () => {
    const postId = await addPost("Gulls", ["launch"]);
    const page = await openPage(`posts/${postId}`);
    const field = page.getByRole("combobox", { name: "Tags" });
    await field.waitFor();
    await blockPolls(page, "**/posts/*");
    await updatePost(fixture.service.deps, owner, { postId, tags: ["spring"] });
    const conflict = page.waitForResponse((response) => response.status() === 409);
    await field.fill("sale");
    await field.press("Enter");
    await conflict;
    await page.unroute("**/posts/*");
    await waitUntil(async () => (await readTags(postId)).join() === "spring,sale");
    await page.getByRole("button", { name: "Remove tag spring" }).waitFor();
    await page.context().close();
  });

  test("an Enter that accepts a suggestion of an input method adds no tag, sends no comment and keeps the focus (WEB-12)", async () => {
    const postId = await addPost("Nori");
    const page = await openPage(`posts/${postId}?panel=comments`);
    const [title, tags, comment] = [
      page.getByRole("textbox", { name: "Title" }),
      page.getByRole("combobox", { name: "Tags" }),
      page.getByRole("textbox", { name: "Add a comment" }),
    ];
    // In Safari, the composition has ended before this key press.
    const acceptSuggestion = (options = "") =>
      page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
        key: "Enter", keyCode: 229, isComposing: false, bubbles: true, cancelable: true, ${options} }))`);
    // The panel takes the focus after it has appeared.
    await page.getByRole("complementary", { name: "Comments" }).and(page.locator(":focus")).waitFor();
    await title.focus();
    assert.equal(await acceptSuggestion(), true, "the browser handles the key");
    assert.equal(await page.evaluate("document.activeElement.id"), "post-title");
    await comment.fill("海苔");
    assert.equal(await acceptSuggestion("ctrlKey: true"), true);
    await tags.fill("海苔");
    assert.equal(await acceptSuggestion(), true);
    assert.equal(await tags.inputValue(), "海苔");
    await tags.press("Enter");
    await waitUntil(async () => (await readTags(postId)).join() === "海苔", { description: "the tag" });
    assert.equal(await comment.inputValue(), "海苔", "the comment is not sent");
    await page.context().close();
  });

  test("suggests the studio's tags by keyboard and on a phone, and filters posts by tag (WEB-12)", async () => {
    await addPost("Fog", ["launch", "harbour"]);
    await addPost("Boats", ["launch", "lighthouse"]);
    const postId = await addPost("Nets");
    const page = await openPage(`posts/${postId}`);
    const field = page.getByRole("combobox", { name: "Tags" });
    const suggestions = page.getByRole("listbox", { name: "Suggested tags" });
    const waitForTags = (...tags: string[]) =>
      waitUntil(async () => (await readTags(postId)).join() === tags.join(), { description: `tags ${tags.join()}` });
    const assertAboveFiles = async (target: Page) => {
      const tags = await target.getByRole("combobox", { name: "Tags" }).boundingBox();
      const files = await target.getByRole("region", { name: "Files" }).boundingBox();
      assert.ok(tags && files && tags.y + tags.height <= files.y, JSON.stringify({ tags, files }));
    };
    await field.fill("la");
    await suggestions.getByRole("option", { name: "launch" }).waitFor();
    await assertAboveFiles(page);
    assert.deepEqual(await findViolations(page), []);
    await field.press("Escape");
    await suggestions.waitFor({ state: "detached" });
    assert.equal(await field.inputValue(), "la", "Escape only closes the list");
    await field.press("ArrowDown");
    await field.press("Enter");
    await waitForTags("launch");
    await field.fill("harb");
    await suggestions.waitFor();
    await field.press("Enter");
    await waitForTags("launch", "harb");
    await page.context().close();

    const touchPage = await openPage(`posts/${postId}`, { viewport: phone, hasTouch: true, isMobile: true });
    await touchPage.getByRole("combobox", { name: "Tags" }).tap();
    await assertAboveFiles(touchPage);
    const option = touchPage.getByRole("option", { name: "harbour" });
    assert.ok(((await option.boundingBox())?.height ?? 0) >= 44);
    await option.tap();
    await waitForTags("launch", "harb", "harbour");
    await touchPage.context().close();

    const postsPage = await openPage("posts");
    await postsPage.getByRole("checkbox", { name: "Select Nets" }).check();
    await postsPage.getByRole("button", { name: "Tags", exact: true }).click();
    await postsPage.getByRole("menuitem", { name: "Add a tag…" }).click();
    await postsPage.getByRole("combobox", { name: "Tag", exact: true }).fill("light");
    await postsPage.getByRole("dialog").getByRole("option", { name: "lighthouse" }).click();
    await postsPage.getByRole("button", { name: "Add tag" }).click();
    await waitForTags("launch", "harb", "harbour", "lighthouse");
    await postsPage.getByRole("button", { name: "Clear selection" }).click();
    await postsPage.getByRole("button", { name: "Tag", exact: true }).press("Enter");
    await pressMenuItem(postsPage, "menuitemradio", "lighthouse");
    await postsPage.getByRole("button", { name: "Tag: lighthouse" }).and(postsPage.locator(":focus")).waitFor();
    await postsPage.getByRole("link", { name: "Fog" }).waitFor({ state: "detached" });
    assert.equal(new URL(postsPage.url()).search, "?tag=lighthouse");
    const tabsBox = await postsPage.getByRole("navigation", { name: "Filter by status" }).boundingBox();
    const densityBox = await postsPage.getByRole("radiogroup", { name: "Density" }).boundingBox();
    const centers = [tabsBox, densityBox].map((box) => box && Math.round(box.y + box.height / 2));
    assert.equal(centers[0], centers[1], "no filter moves the choice of density to another row");
    assert.deepEqual(await findViolations(postsPage), []);
    await postsPage.getByRole("button", { name: "Clear tag filter: lighthouse" }).click();
    await postsPage.getByRole("link", { name: "Fog" }).waitFor();
    await postsPage.context().close();
  });

  test("activity leads to the exact comment, to the history, and to all that one client did (ACT-1, COM-2)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Ropes");
    const claude = await actThroughClient(deps, owner);
    const linkedComment = await addComment(deps, claude, { postId, body: "Which rope is it?" });
    await updatePost(deps, owner, { postId, body: "A blue rope." });
    await resolveComment(deps, owner, { commentId: linkedComment.id, resolved: true });
    const page = await openPage("clients");
    const activityLink = page.getByRole("link", { name: "See activity of Claude" });
    await page.getByRole("button", { name: "Revoke Claude" }).waitFor();
    assert.equal(await activityLink.count(), 0, "a client without calls has no activity");
    const undoLink = page.getByRole("link", { name: "Undo changes by Claude, for Ada Berg" });
    assert.equal(await undoLink.count(), 0, "a client without calls has no changes");
    await deps.grants.touch(claude.grantId, Date.now());
    await page.reload();
    await undoLink.waitFor();
    await activityLink.click();
    await page.waitForURL((url) => url.searchParams.get("clientId") === claude.client.id);
    await page.getByText("Claude, for Ada Berg, commented on Ropes").getByRole("link", { name: "Ropes" }).click();
    const comment = page.getByRole("region", { name: "Comments" }).locator("[aria-current=true]");
    await comment.getByText("Which rope is it?").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("panel"), "comments");
    assert.deepEqual(await findViolations(page), []);
    await page.reload();
    await comment.getByText("Which rope is it?").waitFor();
    await page.getByRole("button", { name: "Close panel" }).click();
    await comment.waitFor({ state: "detached" });
    await page.waitForURL((url) => url.search === "");

    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/activity?action=post.updated`);
    await page.getByText("Ada Berg changed Ropes").getByRole("link", { name: "Ropes" }).click();
    await page.getByRole("complementary", { name: "History" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Clear action filter: Post changed" }).click();
    await page.waitForURL((url) => url.search === "");
    await page.getByText("Claude, for Ada Berg, commented on Ropes").waitFor();
    await page.getByTitle("Show only Ada Berg’s activity").first().press("Enter");
    await page.waitForURL((url) => url.searchParams.get("userId") === owner.user.id);
    await page.getByRole("button", { name: `Member: ${owner.user.name}` }).waitFor();
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      await waitForFit(page);
      assert.deepEqual(await findViolations(page), []);
    }
    await page.context().close();
  });

  test("an open panel and unsaved text stay while the server can't be reached (WEB-7)", async () => {
    const page = await openPage(`posts/${await addPost("Outage")}`);
    await page.getByRole("textbox", { name: "Text", exact: true }).waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed during the outage.");
    await page.waitForTimeout(1500); // meanwhile, the page checks the user's session again
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("complementary", { name: "History" }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("panel") === "history");
    assert.equal(
      await page.getByRole("textbox", { name: "Text", exact: true }).inputValue(),
      "Typed during the outage.",
    );
    // The warning is visible where an open panel leaves the header the least room.
    await page.setViewportSize({ width: 1200, height: 768 });
    const warning = page.getByRole("status").getByText("Not saved");
    await waitUntil(() => warning.evaluate((element) => element.offsetWidth > 1));
    await page.context().close();
  });

  test("sends a proposal back with a comment, which is added once if canceling fails (PUB-3, COM-2)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Spring catalogue");
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    await publishPost(deps, await actThroughClient(deps, owner), { postId, connectionIds, propose: true });
    await addComment(deps, owner, { postId, body: "Is the price right?" });
    const page = await openPage("publications/approvals", { viewport: phone });
    await page.getByRole("link", { name: "1 open thread" }).waitFor();
    const openDialog = () => page.getByRole("button", { name: "Ask for changes… harbour" }).click();
    const field = page.getByRole("textbox", { name: "What should change?" });
    await openDialog();
    await field.fill("Use the blue photo.");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await openDialog();
    assert.equal(await field.inputValue(), "Use the blue photo.", "the text is kept");
    assert.deepEqual(await findViolations(page), []);
    await page.route("**/send-back", (route) => route.abort(), { times: 1 });
    await field.press("Control+Enter");
    await page.getByText("Your comment was added to the post, but").waitFor();
    await page.getByRole("button", { name: "Send back" }).click();
    await page.getByText("Sent back to Claude, for Ada Berg.").first().waitFor();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
    const post = await getPost(deps, owner, { postId, includeComments: true });
    assert.equal(post.publications?.[0]?.state, "canceled");
    assert.deepEqual(post.comments?.map(({ body }) => body).toSorted(), ["Is the price right?", "Use the blue photo."]);
    await page.getByRole("button", { name: "Open post" }).click();
    const comments = page.getByRole("dialog", { name: "Comments" });
    await comments.getByText("Use the blue photo.").waitFor();
    await page.getByRole("button", { name: "Close panel" }).click();
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Sent back", { exact: true }).waitFor();
    await row.getByRole("link", { name: "See the comments" }).click();
    await comments.getByText("Use the blue photo.").waitFor();
    // Lists of posts say that something is left to do.
    for (const path of ["posts", "posts?view=board"]) {
      await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
      const openThreads = page.getByTitle("2 open threads", { exact: true });
      await openThreads.waitFor();
      assert.equal(await openThreads.innerText(), "2\n2 open threads");
      assert.deepEqual(await findViolations(page), []);
    }
    const publicationId = post.publications?.[0]?.id;
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications/${publicationId}`);
    await page.getByText("Changes were asked for.").waitFor();
    await page.getByRole("list", { name: "Timeline" }).getByText("Sent back by Ada Berg, with a comment").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.context().close();
  });

  test("a member whose request was sent back sees it in the navigation and in lists, and asks again (PUB-3, COM-2)", async () => {
    const { deps } = fixture.service;
    const member = await newMember(deps, owner, "member");
    const postId = await addPost("Winter catalog");
    const connectionIds = [await newConnection(deps, owner, "pier", "sandbox")];
    const at = toIsoTime(Date.now() + days(3));
    const { publications } = await publishPost(deps, member, { postId, connectionIds, at, propose: true });
    await addComment(deps, owner, { postId, body: "Shorter, please." });
    await sendBackPublication(deps, owner, { publicationId: publications[0]?.id ?? "" });
    const page = await openStudioPage(fixture, member, "posts", { errors });
    await page.getByRole("link", { name: "Publications 1 needs attention" }).click();
    await page.getByRole("link", { name: "1 sent back" }).click();
    await page.getByRole("link", { name: /Winter catalog/ }).waitFor();
    await page.getByRole("link", { name: "Posts", exact: true }).click();
    await page.getByText("Sent back", { exact: true }).first().waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("link", { name: "Winter catalog" }).click();
    await page.getByText("Sent back", { exact: true }).nth(1).waitFor(); // at the top and beside the account
    await page.getByRole("button", { name: "Ask again…", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Winter.");
    await page.getByRole("button", { name: "Ask again for approval to publish to pier" }).click();
    assert.ok(await page.getByRole("radio", { name: "Pick a time" }).isChecked(), "the time is kept");
    await page.getByRole("button", { name: "Ask for approval", exact: true }).click();
    await page.getByText("Sent for approval.").first().waitFor();
    await page.getByRole("link", { name: "Publications", exact: true }).waitFor();
    const [publication] = (await getPost(deps, owner, { postId })).publications ?? [];
    assert.equal(publication?.state, "proposed", "although members may publish without approval");
    assert.equal(publication.scheduledFor?.slice(0, 16), at.slice(0, 16));
    await page.context().close();
    const ownerPage = await openPage("publications/approvals");
    const changes = ownerPage.getByRole("region", { name: "Changes since it was sent back" });
    await changes.getByText("Requested again after it was sent back").waitFor();
    assert.match((await changes.locator("del").first().textContent()) ?? "", /removed: +catalog/);
    assert.deepEqual(await findViolations(ownerPage), []);
    await ownerPage.context().close();
  });

  test("keeps the request for changes open when someone else approves meanwhile (PUB-3, COM-2)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Autumn catalogue");
    const connectionIds = [await newConnection(deps, owner, "quay", "sandbox")];
    const client = await actThroughClient(deps, owner);
    const { publications } = await publishPost(deps, client, { postId, connectionIds, propose: true });
    const { id: publicationId, revision } = publications[0] ?? assert.fail("nothing was proposed");
    const pages = [await openPage("publications/approvals"), await openPage(`publications/${publicationId}`)];
    for (const [index, page] of pages.entries()) {
      await page.getByRole("button", { name: "Ask for changes… quay" }).click();
      await page.getByRole("textbox", { name: "What should change?" }).fill(`Comment ${index}`);
    }
    await approvePublication(deps, owner, { publicationId, revision });
    for (const page of pages) {
      await page.getByText("This was approved in the meantime. You can still add your comment.").waitFor();
      assert.deepEqual(await findViolations(page), []);
      await page.getByRole("button", { name: "Add comment" }).click();
      await page.getByText("Comment added.").first().waitFor();
      await page.context().close();
    }
    const post = await getPost(deps, owner, { postId, includeComments: true });
    assert.equal(post.publications?.[0]?.state, "scheduled");
    assert.deepEqual(post.comments?.map(({ body }) => body).toSorted(), ["Comment 0", "Comment 1"]);
  });
});
