import assert from "node:assert/strict";
import { afterEach, before, describe, test } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, resolveComment } from "#domain/comments/comments.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { sendBackPublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days } from "#lib/clock.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { fromNow } from "../support/clock.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { holdFetches, waitForFit } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openLoadedPage, startWebFixture } from "../support/web-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember, newStudio } from "../support/users.ts";
import { createOwner, createPostWithFiles, openStudioPage, uploadImage } from "../support/web-posts.ts";

const phone = { width: 390, height: 844 };

describe("tags, search and links in a browser", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let owner: Caller;
  before(async () => {
    owner = await createOwner(fixture.service.deps);
  });
  afterEach(() => fixture.closeContexts());

  const addPost = (title: string, tags: string[] = []) =>
    createPostWithFiles(fixture.service.deps, owner, title, tags.length > 0 ? { tags } : {});
  const readTags = async (postId: string) => (await getPost(fixture.service.deps, owner, { postId })).tags;
  const openPage = (path: string, options: BrowserContextOptions = {}, user = owner) =>
    openStudioPage(fixture, user, path, options);

  test("keeps a tag that another member has just added (WEB-12)", async () => {
    const postId = await addPost("Gulls", ["launch"]);
    const page = await openPage(`posts/${postId}`);
    const field = page.getByRole("combobox", { name: "Tags" });
    await field.waitFor();
    const showPost = await holdFetches(page, "**/posts/*");
    await updatePost(fixture.service.deps, owner, { postId, tags: ["spring"] });
    const conflict = page.waitForResponse((response) => response.status() === 409);
    await field.fill("sale");
    await field.press("Enter");
    await conflict;
    showPost();
    await waitUntil(async () => (await readTags(postId)).join() === "spring,sale");
    await page.getByRole("button", { name: "Remove tag spring" }).waitFor();
  });

  test("an Enter that accepts a suggestion of an input method adds no tag, sends no comment and keeps the focus (WEB-12)", async () => {
    const postId = await addPost("Nori");
    const page = await openPage(`posts/${postId}?panel=comments`);
    // In Safari, the composition has ended before this key press.
    const acceptSuggestion = async () => {
      const isLeftToBrowser = await page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
        key: "Enter", keyCode: 229, ctrlKey: true, isComposing: false, bubbles: true, cancelable: true }))`);
      assert.equal(isLeftToBrowser, true);
    };
    // The panel takes the focus after it has appeared.
    await page.getByRole("complementary", { name: "Comments" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("textbox", { name: "Title" }).focus();
    await acceptSuggestion();
    assert.equal(await page.evaluate("document.activeElement.id"), "post-title");
    const comment = page.getByRole("textbox", { name: "Add a comment" });
    await comment.fill("海苔");
    await acceptSuggestion();
    const tags = page.getByRole("combobox", { name: "Tags" });
    await tags.fill("海苔");
    await acceptSuggestion();
    assert.equal(await tags.inputValue(), "海苔");
    await tags.press("Enter");
    await waitUntil(async () => (await readTags(postId)).join() === "海苔", { description: "the tag" });
    assert.equal(await comment.inputValue(), "海苔", "the comment is not sent");
  });

  test("suggests the studio's tags by keyboard, on a phone, and for several posts (WEB-12)", async () => {
    await addPost("Fog", ["launch", "harbour"]);
    await addPost("Boats", ["launch", "lighthouse"]);
    const postId = await addPost("Nets");
    const page = await openPage(`posts/${postId}`);
    const field = page.getByRole("combobox", { name: "Tags" });
    const suggestions = page.getByRole("listbox", { name: "Suggested tags" });
    const waitForTags = (...tags: string[]) =>
      waitUntil(async () => (await readTags(postId)).join() === tags.join(), { description: `tags ${tags.join()}` });
    await field.fill("la");
    await suggestions.getByRole("option", { name: "launch" }).waitFor();
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

    const touchPage = await openPage(`posts/${postId}`, { viewport: phone, hasTouch: true, isMobile: true });
    await touchPage.getByRole("combobox", { name: "Tags" }).tap();
    await touchPage.getByRole("option", { name: "harbour" }).tap();
    await waitForTags("launch", "harb", "harbour");

    const postsPage = await openPage("posts");
    await postsPage.getByRole("checkbox", { name: "Select Nets" }).check();
    await postsPage.getByRole("button", { name: "Tags", exact: true }).click();
    await postsPage.getByRole("menuitem", { name: "Add a tag…" }).click();
    await postsPage.getByRole("combobox", { name: "Tag", exact: true }).fill("light");
    await postsPage.getByRole("dialog").getByRole("option", { name: "lighthouse" }).click();
    await postsPage.getByRole("button", { name: "Add tag" }).click();
    await waitForTags("launch", "harb", "harbour", "lighthouse");
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
    const undoLink = page.getByRole("link", { name: "Undo changes by Claude, for Ada Berg" });
    await page.getByRole("button", { name: "Revoke Claude" }).waitFor();
    for (const link of [activityLink, undoLink]) assert.equal(await link.count(), 0, "the client has made no call");
    await deps.grants.touch(claude.grantId, deps.clock());
    await page.reload();
    await undoLink.waitFor();
    await activityLink.click();
    await page.waitForURL((url) => url.searchParams.get("clientId") === claude.client.id);
    await page.getByText("Claude, for Ada Berg, commented on Ropes").getByRole("link", { name: "Ropes" }).click();
    const comment = page.getByRole("region", { name: "Comments" }).locator("[aria-current=true]");
    await comment.getByText("Which rope is it?").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("panel"), "comments");
    assert.deepEqual(await findViolations(page), []);
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
    assert.deepEqual(await findViolations(page), []);
  });

  test("continues a search that needs several calls until it finds a post or reaches the end (POST-3)", async () => {
    const { deps } = fixture.service;
    const owner = await newStudio(deps);
    await createPost(deps, owner, { title: "The needle", body: "" });
    const page = await openPage("posts", {}, owner);
    const cursors: (string | null)[] = [];
    // A search call that has read much text returns a cursor, but no post if none of the text matches.
    await page.route(/post-summaries\?.*query=/, (route) => {
      const url = new URL(route.request().url());
      const cursor = url.searchParams.get("cursor");
      cursors.push(cursor);
      url.searchParams.delete("cursor");
      return cursor === "2"
        ? route.continue({ url: url.href })
        : route.fulfill({ json: { posts: [], nextCursor: cursor === null ? "1" : "2" } });
    });
    await page.getByLabel("Search posts").fill("needle");
    await waitUntil(() => cursors.length >= 3);
    await page.getByRole("link", { name: "The needle" }).waitFor();
    // The page may read the list again, when its event stream opens or announces the new post.
    assert.deepEqual(cursors.slice(0, 3), [null, "1", "2"]);
    assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
    await page.getByLabel("Search posts").fill("nowhere");
    await page.getByText("No matching posts").waitFor();
  });

  test("shows the part of a text that matches, with the words marked, in the list and the palette, which lists matching titles first (POST-3)", async () => {
    const { deps } = fixture.service;
    const owner = await newStudio(deps);
    const body = `${"Flour and water. ".repeat(10)}We bake with rye on Fridays.`;
    await createPost(deps, owner, { title: "Fridays in the bakery", body: "" });
    for (let i = 1; i <= 5; i++) await createPost(deps, owner, { title: `Loaf ${i}`, body: "Open on Fridays." });
    await createPost(deps, owner, { title: "Sourdough", body });
    const page = await openPage("posts", {}, owner);
    await page.getByText("Flour and water. Flour").waitFor();
    await page.getByLabel("Search posts").fill("RYE");
    await page.getByText("We bake with rye on Fridays.").locator("mark", { hasText: /^rye$/ }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: "Search and commands" }).locator("input:focus").waitFor();
    await page.keyboard.type("fridays");
    const option = page.getByRole("option", { name: "Sourdough" });
    await option.locator("mark", { hasText: /^Fridays$/ }).waitFor();
    await page.getByRole("option").first().getByText("Fridays in the bakery").waitFor();
    await option.getByText(/^Draft · created \d+ \w+, \d\d:\d\d$/).waitFor();
    assert.deepEqual(await findViolations(page), []);
  });

  test("tags a file, and finds it by alt text and tag, with the keyboard on a phone (POST-5, WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const owner = await newStudio(deps);
    const boatId = await uploadImage(deps, owner, "one.png", { altText: "A red boat at low tide" });
    await uploadImage(deps, owner, "two.png", { altText: "A green hill" });
    const { id: postId } = await createPost(deps, owner, { title: "Boats", body: "" });
    const viewport = { width: 390, height: 800 };
    const page = await openPage("assets", { viewport, colorScheme: "dark" }, owner);
    const assertFits = async () => {
      await waitForFit(page);
      assert.deepEqual(await findViolations(page), []);
    };
    await page.getByRole("button", { name: "one.png" }).press("Enter");
    const field = page.getByRole("dialog").getByRole("combobox", { name: "Tags" });
    await field.pressSequentially("Harbour");
    await field.press("Enter");
    await page.getByRole("button", { name: "Remove tag harbour" }).waitFor();
    await field.pressSequentially("a tag as long as a tag may possibly be");
    await page.getByRole("button", { name: "Save" }).press("Enter");
    // The browser moves the focus to the field that it reports.
    assert.match(String(await page.evaluate("document.activeElement?.validationMessage")), /^Press Enter to add this/);
    await field.press("Enter");
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    const { assets } = await listAssets(deps, owner, { limit: 10, tag: "harbour" });
    assert.deepEqual(
      assets.map(({ id, tags }) => [id, tags]),
      [[boatId, ["harbour", "a tag as long as a tag may possibly be"]]],
    );

    const search = page.getByLabel("Search files");
    const hill = page.getByRole("button", { name: "two.png" });
    // At once: the results of a part of the text would be replaced before the next key press.
    await search.fill("tide red");
    await hill.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "harbour", exact: true }).press("Enter");
    await search.fill("green");
    await page.getByText("No files with the tag “harbour” match “green”").waitFor();
    await assertFits();
    await page.getByRole("button", { name: "Clear tag filter" }).press("Enter");
    await hill.waitFor();

    await openLoadedPage(page, `${base}/studios/${owner.studio.id}/posts/${postId}`);
    await page.getByRole("button", { name: "Add from library" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "harbour", exact: true }).press("Enter");
    await dialog.getByText("two.png").waitFor({ state: "detached" });
    await dialog.getByLabel("Search files").pressSequentially("hill");
    await dialog.getByText("No files with the tag “harbour” match “hill”").waitFor();
    await assertFits();
    await dialog.getByRole("button", { name: "Clear filters" }).press("Enter");
    await dialog.getByRole("checkbox", { name: "two.png" }).waitFor();
  });

  test("an open panel and unsaved text stay while the server can't be reached (WEB-7)", async () => {
    const page = await openPage(`posts/${await addPost("Outage")}`);
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.waitFor();
    await page.clock.install();
    await page.route("**/api/**", (route) => route.abort());
    await text.fill("Typed during the outage.");
    await page.clock.fastForward(1500); // then the page checks the user's session again
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("complementary", { name: "History" }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("panel") === "history");
    assert.equal(await text.inputValue(), "Typed during the outage.");
    // The warning is visible where an open panel leaves the header the least room.
    await page.setViewportSize({ width: 1200, height: 768 });
    const warning = page.getByRole("status").getByText("Not saved");
    await waitUntil(async () => ((await warning.boundingBox())?.width ?? 0) > 1);
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
    await page.getByRole("button", { name: "Close panel" }).click();
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Sent back", { exact: true }).waitFor();
    await row.getByRole("link", { name: "See the comments" }).click();
    await page.getByRole("dialog", { name: "Comments" }).getByText("Use the blue photo.").waitFor();
    // Lists of posts say that something is left to do.
    for (const path of ["posts", "posts?view=board"]) {
      await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
      await page.getByTitle("2 open threads", { exact: true }).waitFor();
      assert.deepEqual(await findViolations(page), []);
    }
    const publicationId = post.publications?.[0]?.id;
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications/${publicationId}`);
    await page.getByText("Changes were asked for.").waitFor();
    await page.getByRole("list", { name: "Timeline" }).getByText("Sent back by Ada Berg, with a comment").waitFor();
    assert.deepEqual(await findViolations(page), []);
  });

  test("a member whose request was sent back sees it in the navigation and in lists, and asks again (PUB-3, COM-2)", async () => {
    const { deps } = fixture.service;
    const member = await newMember(deps, owner, "member");
    const postId = await addPost("Winter catalog");
    const connectionIds = [await newConnection(deps, owner, "pier", "sandbox")];
    const at = fromNow(days(3));
    const { publications } = await publishPost(deps, member, { postId, connectionIds, at, propose: true });
    await addComment(deps, owner, { postId, body: "Shorter, please." });
    await sendBackPublication(deps, owner, { publicationId: publications[0]?.id ?? "" });
    const page = await openStudioPage(fixture, member, "posts");
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
    const ownerPage = await openPage("publications/approvals");
    const changes = ownerPage.getByRole("region", { name: "Changes since it was sent back" });
    await changes.getByText("Requested again after it was sent back").waitFor();
    assert.match((await changes.locator("del").first().textContent()) ?? "", /removed: +catalog/);
    assert.deepEqual(await findViolations(ownerPage), []);
  });

  test("keeps the request for changes open when someone else approves meanwhile (PUB-3, COM-2)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Autumn catalogue");
    const connectionIds = [await newConnection(deps, owner, "quay", "sandbox")];
    const client = await actThroughClient(deps, owner);
    const { publications } = await publishPost(deps, client, { postId, connectionIds, propose: true });
    const { id: publicationId, revision } = publications[0] ?? assert.fail("nothing was proposed");
    const pages = [await openPage("publications/approvals"), await openPage(`publications/${publicationId}`)];
    for (const page of pages) {
      await page.getByRole("button", { name: "Ask for changes… quay" }).click();
      await page.getByRole("textbox", { name: "What should change?" }).fill("Use the red photo.");
    }
    await approvePublication(deps, owner, { publicationId, revision });
    for (const page of pages) {
      await page.getByText("This was approved in the meantime. You can still add your comment.").waitFor();
      assert.deepEqual(await findViolations(page), []);
      await page.getByRole("button", { name: "Add comment" }).click();
      await page.getByText("Comment added.").first().waitFor();
    }
    const post = await getPost(deps, owner, { postId, includeComments: true });
    assert.equal(post.publications?.[0]?.state, "scheduled");
    assert.deepEqual(
      post.comments?.map(({ body }) => body),
      ["Use the red photo.", "Use the red photo."],
    );
  });
});
