import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { addComment } from "#domain/comments/comments.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { assertAccessible, findViolations } from "../support/axe.ts";
import { getBox, getBoxes } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForPlace } from "../support/drag-announcements.ts";
import { pressMenuItem, refetch, resizeWindow, waitForPaint } from "../support/page-waits.ts";
import { phone, plannedDay, useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createPostWithFiles } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };

describe("lists of posts in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });

  const plan = { at: `${plannedDay}T10:00` };
  const addPublished = async (title: string): Promise<string> => {
    const postId = await pages.planPost(title, plan);
    await pages.changePublications(postId, { state: "published", publishedAt: pages.deps.clock() });
    return postId;
  };
  const getItem = (page: Page, title: string): Locator =>
    page.getByRole("listitem").filter({ has: page.getByRole("link", { name: title, exact: true }) });
  const getLink = (parent: Page | Locator, title: string) => parent.getByRole("link", { name: title, exact: true });
  const getTitles = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("heading").allTextContents();
  const getColumn = (page: Page, name: RegExp) => page.getByRole("region", { name });
  const waitForStatus = (postId: string, status: string) =>
    waitUntil(async () => (await pages.readPost(postId)).status === status, { description: `the post is ${status}` });

  test("keeps view and filters in the URL, and hides archived posts by default (WEB-12)", async () => {
    const member = await newMember(pages.deps, pages.owner, "member");
    await pages.addPost("Fog", { tags: ["harbour"] });
    await pages.addPost("Old fog", { status: "archived" });
    await createPostWithFiles(pages.deps, member, "Boats");
    const page = await pages.open("posts");
    await getLink(page, "Boats").waitFor();
    assert.deepEqual(await getTitles(page), ["Boats", "Fog"]);
    await page.getByRole("button", { name: "Include archived" }).press("Enter");
    await getLink(page, "Old fog").waitFor();
    assert.deepEqual(await getTitles(page), ["Boats", "Old fog", "Fog"]);
    await page.getByRole("button", { name: "Author" }).press("Enter");
    await pressMenuItem(page, "menuitemradio", member.user.name);
    const authorButton = page.getByRole("button", { name: `Author: ${member.user.name}` });
    await authorButton.and(page.locator(":focus")).waitFor();
    await getLink(page, "Fog").waitFor({ state: "detached" });
    const { searchParams } = new URL(page.url());
    assert.deepEqual(Object.fromEntries(searchParams), { archived: "true", author: member.user.id });
    await page.getByRole("button", { name: `Clear author filter: ${member.user.name}` }).press("Enter");
    await getLink(page, "Fog").waitFor();

    await pages.goTo(page, "posts?tag=harbour&view=board");
    await getLink(page, "Fog").waitFor();
    assert.equal(await getLink(page, "Boats").count(), 0);
    await page.getByRole("radio", { name: "List" }).click();
    await page.waitForURL((nextUrl) => nextUrl.search === "?tag=harbour");
    await page.getByRole("radio", { name: "Compact" }).check();
    await page.reload();
    assert.ok(await page.getByRole("radio", { name: "Compact" }).isChecked());
    await page.getByRole("radio", { name: "Comfortable" }).check();
  });

  test("rows say who created the post and when it is planned, in every width and density (WEB-12)", async () => {
    const { deps, owner, connectionIds } = pages;
    const claude = { ...owner, client: { id: "https://claude.example/client", name: "Claude" } };
    const tags = ["behind the scenes", "tide"];
    const postId = await createPostWithFiles(deps, claude, "Fog over the harbour wall", { tags });
    const at = `${plannedDay}T10:00Z`;
    await publishPost(deps, claude, { postId, connectionIds, at, propose: true });
    await pages.addPost("Boats", { tags });
    const page = await pages.open("posts");
    const [row, otherRow] = [getItem(page, "Fog over the harbour wall"), getItem(page, "Boats")];
    const author = row.getByTitle("Claude, for Ada Berg").first();
    const [client, person] = [author.getByText("Claude", { exact: true }), author.getByText("for Ada Berg").last()];
    assert.ok((await getBox(client)).bottom <= (await getBox(person)).y, "client and person are on two lines");
    await otherRow.getByTitle("Ada Berg", { exact: true }).first().waitFor();

    await resizeWindow(page, { width: 1024, height: 768 });
    const details = row.locator("p").last();
    await details.getByText("Claude", { exact: true }).waitFor();
    await resizeWindow(page, phone);
    await details.getByText("Claude", { exact: true }).waitFor({ state: "hidden" });
    await row.getByText("Claude, for Ada Berg").locator("visible=true").waitFor();
    for (const line of [details, otherRow.locator("p").last()]) {
      const time = line.locator("time").or(line.getByText("Planned for").locator(".."));
      const { y, height } = await getBox(line);
      assert.ok((await getBox(time)).y < y + height / 2, "the time is on the visible line");
    }

    await resizeWindow(page, { width: 1024, height: 768 });
    await page.getByRole("radio", { name: "Compact" }).check();
    const state = await getBox(row.getByText("Waiting for approval"));
    const otherState = await getBox(otherRow.getByText("Draft", { exact: true }));
    assert.equal(otherState.x, state.x, "all states start in the same column");
    await row.getByText("Planned for").locator("visible=true").waitFor();
    await assertAccessible(page);
    await page.getByRole("radio", { name: "Comfortable" }).check();
  });

  test("lists, the palette and the post page show whether a post is published, scheduled or failed, and when it was created (WEB-12)", async () => {
    await addPublished("Mussels");
    await updatePost(pages.deps, pages.owner, { postId: await addPublished("Oars"), status: "archived" });
    const failedId = await pages.planPost("Buoy", plan);
    await pages.changePublications(failedId, { state: "failed" });
    await pages.planPost("Rope", plan);
    const draftId = await pages.addPost("Anchor", { body: "Changed after it was created." });
    const states = { Mussels: "Published", Buoy: "Failed", Rope: "Scheduled", Oars: "Archived", Anchor: "Draft" };
    const page = await pages.open("posts?archived=true");
    for (const [title, state] of Object.entries(states)) {
      await getItem(page, title).getByText(state, { exact: true }).first().waitFor();
      assert.equal(await getItem(page, title).getByText("Draft").count(), state === "Draft" ? 1 : 0, title);
    }
    const created = getItem(page, "Anchor").getByText("Created", { exact: true }).locator("..").locator("time");
    assert.equal(await created.getAttribute("datetime"), (await pages.readPost(draftId)).createdAt);
    await getItem(page, "Rope").getByText("Sandbox", { exact: true }).waitFor();
    assert.equal(
      await getItem(page, "Rope").getByText("Scheduled").count(),
      1,
      "the account does not repeat the state",
    );

    await page.getByRole("radio", { name: "Board" }).click();
    await getItem(page, "Buoy").locator(":scope > :first-child").getByText("Failed", { exact: true }).waitFor();
    for (const title of ["Mussels", "Rope"] as const) {
      await getItem(page, title).waitFor();
      const state = getItem(page, title).locator("svg + span", { hasText: states[title] });
      assert.equal(await state.count(), 0, `the column of ${title} says its state`);
    }
    assert.deepEqual(await findViolations(page), []);

    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: "Search and commands" }).locator("input:focus").waitFor();
    await page.keyboard.type("Mussels");
    const option = page.getByRole("option", { name: "Mussels" }).first();
    await option.getByText(/^Published · /).click();
    const menu = page.getByRole("button", { name: "Actions for this post" });
    const header = menu.locator("../..");
    await header.getByText("Published", { exact: true }).waitFor();
    assert.equal(await page.getByText("Draft").count(), 0, "Draft beside Published would contradict it");
    await menu.click();
    await page.getByRole("menuitemradio", { name: "Draft", checked: true }).waitFor();
    await page.getByRole("menuitemradio", { name: "Ready" }).click();
    await waitForStatus(new URL(page.url()).pathname.split("/").at(-1) ?? "", "ready");
    await pages.goTo(page, `posts/${failedId}`);
    await header.getByText("Failed", { exact: true }).waitFor();
    assert.equal(await header.getByRole("combobox").count(), 0, "Draft beside Failed would contradict it");
  });

  test("an empty tab says how a post gets there; other filters only that nothing matches (WEB-12)", async () => {
    await pages.addPost("Fog");
    const page = await pages.open("posts");
    const tabs = page.getByRole("navigation", { name: "Filter by status" });
    for (const [tab, nextStep] of [
      ["Ready", "choose Mark ready"],
      ["Scheduled", "Choose Schedule"],
      ["Published", "Open a post to publish it."],
      ["Archived", "Choose Archive"],
    ] as const) {
      await tabs.getByRole("link", { name: tab }).click();
      await page.getByText(nextStep).waitFor();
    }
    const search = page.getByRole("searchbox", { name: "Search posts" });
    await search.fill("boats");
    await page.getByText("No archived posts match “boats” in title, texts, comments or tags.").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.waitForURL(/\/posts$/);
    await getLink(page, "Fog").waitFor(); // the URL changes before the field is cleared
    await search.fill("boats");
    await page.getByRole("link", { name: "Clear search" }).click();
    await page.waitForURL(/\/posts$/);
  });

  test("shows scheduled and published posts apart from drafts, as tabs and columns (WEB-12)", async () => {
    const draftId = await pages.addPost("Fog");
    await pages.planPost("Later tide", { at: `${plannedDay}T12:00` });
    await pages.planPost("Tide", plan);
    await addPublished("Boats");
    const page = await pages.open("posts");
    const groups = { Drafts: ["Fog"], Scheduled: ["Tide", "Later tide"], Published: ["Boats"] };
    const tabs = page.getByRole("navigation", { name: "Filter by status" });
    for (const [group, titles] of Object.entries(groups)) {
      await tabs.getByRole("link", { name: group }).click();
      await waitUntil(async () => (await getTitles(page)).join() === titles.join(), { description: titles.join() });
      await page.getByText(group === "Scheduled" ? "Soonest first" : "Newest created first", { exact: true }).waitFor();
    }

    await page.getByRole("radio", { name: "Board" }).click();
    for (const [group, titles] of Object.entries(groups)) {
      const headings = getColumn(page, new RegExp(`^${group}`)).getByRole("heading", { level: 3 });
      await headings.first().waitFor();
      assert.deepEqual(await headings.allTextContents(), titles);
    }
    await getColumn(page, /^Ready/)
      .getByText("Nothing is ready.")
      .waitFor();
    assert.equal(await page.getByRole("button", { name: "Move Boats" }).count(), 0);
    await page.getByRole("button", { name: "Move Fog" }).press("Space");
    for (const place of ["Drafts", "Ready", "Scheduled"]) {
      await waitForPlace(page, place);
      await page.keyboard.press(place === "Scheduled" ? "Space" : "ArrowRight");
    }
    await page.getByRole("dialog", { name: "Schedule post Fog" }).waitFor();
    assert.equal((await pages.readPost(draftId)).status, "draft");
    await page.keyboard.press("Escape");
    await getLink(getColumn(page, /^Drafts/), "Fog").waitFor();
  });

  test("moves a post between the columns of the board by keyboard, mouse and menu (WEB-12)", async () => {
    const postId = await pages.addPost("Fog");
    await pages.addPost("Boats", { status: "ready" });
    const page = await pages.open("posts?view=board");
    const [drafts, ready] = [getColumn(page, /^Drafts/), getColumn(page, /^Ready/)];
    await getLink(drafts, "Fog").waitFor();
    await assertAccessible(page);
    const handle = page.getByRole("button", { name: "Move Fog" });
    const pickUp = async (...places: string[]) => {
      await handle.press("Space");
      for (const [index, place] of places.entries()) {
        if (index > 0) await page.keyboard.press("ArrowRight");
        await waitForPlace(page, place);
      }
    };
    await resizeWindow(page, phone);
    await pickUp("Drafts", "Ready", "Scheduled");
    await waitUntil(async () => (await getBox(getColumn(page, /^Scheduled/))).x < phone.width / 2, {
      description: "the board scrolls sideways to the column",
    });
    const columns = await getBoxes(page.getByRole("region", { name: / posts?$/ }));
    assert.deepEqual([columns.length, new Set(columns.map(({ y }) => y)).size], [4, 1], "the columns are in one row");
    await page.keyboard.press("Escape");

    await resizeWindow(page, desktop);
    await pickUp("Drafts", "Ready");
    const hold = Promise.withResolvers<void>();
    await page.route(`**/posts/${postId}`, (route) => hold.promise.then(() => route.continue()));
    await page.keyboard.press("Space");
    await getLink(ready, "Fog").waitFor();
    await refetch(page, /post-summaries\?.*status=draft/);
    assert.equal(await getLink(drafts, "Fog").count(), 0, "the post does not move back while it is being saved");
    hold.resolve();
    await waitForStatus(postId, "ready");
    const toast = page.getByRole("listitem").filter({ hasText: "“Fog” is now ready." });
    await toast.getByRole("button", { name: "Undo" }).click();
    await toast.waitFor({ state: "detached" });
    await waitForStatus(postId, "draft");

    // Each column is fetched on its own, so that the post can be in both for a moment.
    await getLink(drafts, "Fog").waitFor();
    await getLink(ready, "Fog").waitFor({ state: "detached" });
    const [from, to] = [await getBox(handle), await getBox(ready)];
    await page.mouse.move(from.x - 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 100, to.y + 60, { steps: 8 });
    await waitForPlace(page, "Ready");
    await page.mouse.up();
    await getLink(ready, "Fog").waitFor();
    await waitForStatus(postId, "ready");
    await toast.waitFor(); // until then, a response from before the change can show the post in its old column

    await page.getByRole("button", { name: "Actions for Fog" }).click();
    await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
    await getLink(page, "Fog").waitFor({ state: "detached" });
    await waitForStatus(postId, "archived");
  });

  test("a search without matches lists posts with similar words, says so, and says where the words are (POST-3, WEB-12)", async () => {
    const postId = await pages.addPost("Sourdough");
    await pages.addPost("Lighthouse");
    await addComment(pages.deps, pages.owner, { postId, body: "Which harbour?" });
    const page = await pages.open("posts");
    const search = page.getByRole("searchbox", { name: "Search posts" });
    await search.fill("harbuor");
    await page.getByText("No posts match “harbuor” exactly. These have similar words.").waitFor();
    await page.getByText("In a comment: Which harbour?").waitFor();
    assert.equal(await page.locator("main mark").textContent(), "harbour");
    await getLink(page, "Lighthouse").waitFor({ state: "detached" });
    await search.fill("zzyzx");
    await page.getByText("No posts match “zzyzx” in title, texts, comments or tags.").waitFor();
  });

  test("a column of the board counts all its posts, also those that are not loaded (WEB-12)", async () => {
    for (let i = 1; i <= 22; i++) await pages.addPost(`Fog ${i}`);
    const page = await pages.open("posts?view=board");
    const drafts = page.getByRole("region", { name: "Drafts 22 posts" });
    await drafts.waitFor();
    assert.equal(await drafts.getByRole("listitem").count(), 20);
    await drafts.getByRole("button", { name: "Show more: Drafts" }).click();
    await getLink(drafts, "Fog 1").waitFor();
    await page.getByRole("searchbox", { name: "Search posts" }).fill("fog");
    await page.getByRole("region", { name: "Drafts 20+ posts" }).waitFor();
  });

  test("loads more posts on scrolling, renders few of them, and returns to the position (WEB-12)", async () => {
    for (let i = 0; i < 130; i++) await pages.addPost(`Post ${i}`);
    const page = await pages.open("posts");
    await getLink(page, "Post 129").waitFor();
    const oldest = getLink(page, "Post 0");
    await waitUntil(
      async () => {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return (await oldest.count()) === 1;
      },
      { description: "the oldest post is in the list" },
    );
    assert.ok((await getTitles(page)).length < 60);
    assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
    await oldest.click();
    await page.waitForURL(/\/posts\/pst_/);
    await page.goBack();
    await oldest.waitFor();
    assert.ok((await page.evaluate<number>("scrollY")) > 2000);
  });

  test("keeps a click, the focus and the dialogs of a row in a long list that becomes virtual and scrolls (WEB-12)", async () => {
    for (let i = 1; i <= 60; i++) await pages.addPost(`Post ${i}`);
    const page = await pages.open("platforms");
    const hold = Promise.withResolvers<void>();
    await page.route("**/RowVirtualizer-*.js", (route) => hold.promise.then(() => route.continue()));
    await pages.goTo(page, "posts");
    const button = page.getByRole("button", { name: "Actions for Post 57", exact: true });
    await button.hover();
    await page.mouse.down();
    const virtualRows = page.getByRole("list", { name: "Posts" }).locator("> li.absolute");
    assert.equal(await virtualRows.count(), 0);
    hold.resolve();
    await virtualRows.first().waitFor();
    assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Actions for Post 57");
    await page.mouse.up();
    await page.getByRole("menuitem", { name: "Schedule…" }).click();
    const schedule = page.getByRole("dialog", { name: "Schedule post Post 57" });
    await schedule.waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByText("Post 57", { exact: true }).and(page.locator(":not(dialog *)")).waitFor({ state: "detached" });
    await schedule.getByRole("button", { name: "Cancel" }).click();
    await schedule.waitFor({ state: "detached" });
  });

  test("on a phone, tabs, search and filters leave most of the screen to the list, and a button shows those beyond the edge (WEB-12)", async () => {
    await newMember(pages.deps, pages.owner, "member");
    const tag = "the spring catalogue";
    await pages.addPost("Fog", { tags: [tag] });
    const page = await pages.open("posts", { device: "phone" });
    assert.ok((await getBox(getItem(page, "Fog"))).y < phone.height / 2);
    const filters = page.getByRole("button", { name: "Filters", exact: true });
    const tagFilter = page.getByRole("button", { name: "Tag" });
    assert.equal(await tagFilter.isVisible(), false);
    await filters.tap();
    await tagFilter.tap();
    await page.getByRole("menuitemradio", { name: tag }).tap();
    await page.waitForURL(/tag=/);
    // Buttons show that there are more tabs and more filters, until the last one is in view.
    const showMore = page.locator("button:has(.lucide-chevron-right):not([aria-label])");
    await showMore.nth(1).waitFor();
    const lastFilter = page.getByRole("button", { name: "Include archived" });
    assert.ok((await getBox(lastFilter)).right > phone.width, "the last filter is beyond the edge");
    const isInView = async (): Promise<boolean> => (await getBox(lastFilter)).right <= phone.width;
    // Each tap scrolls by less than the width of the screen.
    for (let tap = 0; tap < 3 && !(await isInView()); tap++) {
      const { x } = await getBox(lastFilter);
      await showMore.last().tap();
      await waitUntil(async () => (await getBox(lastFilter)).x < x, { description: "the filters scroll" });
    }
    await waitUntil(isInView, { description: "the last filter is in view" });
    await showMore.nth(1).waitFor({ state: "detached" });
    assert.deepEqual(await findViolations(page), []);
    await pages.goTo(page, "posts?status=archived");
    const lastTab = page.getByRole("navigation", { name: "Filter by status" }).getByText("Archived");
    await lastTab.waitFor();
    // The row scrolls after its first render.
    await waitUntil(async () => (await getBox(lastTab)).right <= phone.width, {
      description: "the selected tab is in view",
    });
    await pages.goTo(page, "posts?view=board");
    await page.getByText("mark it ready in its menu").waitFor();
    assert.equal(await page.getByText("Drag a draft here").isVisible(), false);
  });

  test("offers no changes to a user who may only read (WEB-2)", async () => {
    await pages.planPost("Fog", plan);
    const page = await pages.open("platforms");
    await page.route(new RegExp(`/api/studios/${pages.owner.studio.id}$`), async (route) => {
      const response = await route.fetch();
      const studio = (await response.json()) as { may: string[] };
      const may = studio.may.filter((action) => action.endsWith(".read"));
      await route.fulfill({ response, json: { ...studio, may } });
    });
    await pages.goTo(page, "posts");
    await getLink(page, "Fog").waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
    assert.equal(await page.getByRole("link", { name: "New post" }).count(), 0);
    await page.getByRole("button", { name: "Actions for Fog" }).click();
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    assert.deepEqual(await page.getByRole("menuitem").allTextContents(), ["Open", "Copy link"]);
    await pages.goTo(page, "posts?view=board");
    await getLink(page, "Fog").waitFor();
    assert.equal(await page.getByRole("button", { name: "Move Fog" }).count(), 0);
    await page.getByText("Nothing is ready.", { exact: true }).waitFor();
    await pages.goTo(page, `posts?view=calendar&date=${plannedDay}`);
    const card = page.getByRole("button", { name: /^Fog\b/ });
    assert.equal(await card.getAttribute("aria-roledescription"), null);
    await waitForPaint(page);
    await card.press("Enter");
    await page.getByRole("link", { name: "Open post" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Reschedule" }).count(), 0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});
