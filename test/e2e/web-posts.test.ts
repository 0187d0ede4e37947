import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { unscheduledColumns } from "#domain/publishing/publish-time.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { listTrash } from "#domain/trash/list-trash.ts";
import { resolveLocalTime, toLocalTime } from "../../web/src/publishing/zoned-time.ts";
import { addDays, addMonths, formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForPlace } from "../support/drag-announcements.ts";
import { pressMenuItem, resizeWindow, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, waitForData, type WebFixture } from "../support/web-fixture.ts";
import { createOwner, createPostWithFiles, openStudioPage } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const timezone = "Europe/Berlin";

describe("posts in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  const errors: string[] = [];
  before(async () => void (fixture = await startWebFixture()));
  after(async () => {
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  const newOwner = () => createOwner(fixture.service.deps, { timezone });
  const addPost = (owner: Caller, title: string, change: Parameters<typeof createPostWithFiles>[3] = {}) =>
    createPostWithFiles(fixture.service.deps, owner, title, change);
  const read = (owner: Caller, postId: string) => getPost(fixture.service.deps, owner, { postId });
  async function openPosts(owner: Caller, query = "", options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openStudioPage(fixture, owner, `posts${query}`, { errors, ...options });
    await page.getByRole("heading", { name: "Posts", exact: true }).waitFor();
    return page;
  }
  async function assertFits(page: Page): Promise<void> {
    assert.deepEqual(await findViolations(page), []);
    for (const viewport of [phone, desktop]) {
      await resizeWindow(page, viewport);
      await page.waitForTimeout(200);
      await waitForFit(page);
    }
  }
  const getTitles = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("heading").allTextContents();
  const select = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` }).check();
  const clickInMenu = async (page: Page, button: string, item: string | RegExp) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  test("keeps view and filters in the URL, and hides archived posts by default (WEB-12)", async () => {
    const owner = await newOwner();
    const member = await newMember(fixture.service.deps, owner, "member");
    await addPost(owner, "Fog", { tags: ["harbour"] });
    await addPost(owner, "Old fog", { status: "archived" });
    await addPost(member, "Boats", { status: "ready" });
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Boats" }).waitFor();
    assert.deepEqual(await getTitles(page), ["Boats", "Fog"]);
    await assertFits(page);
    await page.getByRole("button", { name: "Include archived" }).press("Enter");
    await page.getByRole("link", { name: "Old fog" }).waitFor();
    assert.deepEqual(await getTitles(page), ["Boats", "Old fog", "Fog"]);
    await page.getByRole("button", { name: "Author" }).press("Enter");
    await pressMenuItem(page, "menuitemradio", member.user.name);
    await page
      .getByRole("button", { name: `Author: ${member.user.name}` })
      .and(page.locator(":focus"))
      .waitFor();
    await page.getByRole("link", { name: "Fog", exact: true }).waitFor({ state: "detached" });
    const url = new URL(page.url());
    assert.deepEqual(Object.fromEntries(url.searchParams), { archived: "true", author: member.user.id });
    await page.getByRole("button", { name: `Clear author filter: ${member.user.name}` }).press("Enter");
    await page.getByRole("link", { name: "Fog", exact: true }).waitFor();

    await page.goto(url.href.replace(url.search, "?tag=harbour&view=board"));
    await page.getByRole("link", { name: "Fog", exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Boats" }).count(), 0);
    await page.getByRole("radio", { name: "List" }).click();
    await page.waitForURL((nextUrl) => nextUrl.search === "?tag=harbour");
    await page.getByRole("radio", { name: "Compact" }).check();
    await page.reload();
    assert.ok(await page.getByRole("radio", { name: "Compact" }).isChecked());
    await page.context().close();
  });

  test("rows leave most of the room to the title, and say who created the post (WEB-12)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const claude = { ...owner, client: { id: "https://claude.example/client", name: "Claude" } };
    const plannedId = await addPost(claude, "Fog over the harbour wall", { tags: ["behind the scenes", "tide"] });
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await publishPost(deps, claude, { postId: plannedId, connectionIds, at, propose: true });
    await addPost(owner, "Boats", { tags: ["behind the scenes", "harbour wall"] });
    const page = await openPosts(owner, "", { viewport: { width: 1440, height: 900 } });
    const getRow = (title: string) => page.getByRole("listitem").filter({ hasText: title });
    const getBox = async (locator: Locator) => {
      const box = await locator.boundingBox();
      assert.ok(box, "it is visible");
      return box;
    };
    const row = getRow("Fog over the harbour wall");
    const author = row.getByTitle("Claude, for Ada Berg").first();
    const [client, person] = [author.getByText("Claude", { exact: true }), author.getByText("for Ada Berg").last()];
    assert.ok((await getBox(client)).y + (await getBox(client)).height <= (await getBox(person)).y, "two lines");
    await getRow("Boats").getByTitle("Ada Berg", { exact: true }).first().waitFor();
    const titleWidth =
      (await getBox(row.getByText("harbour", { exact: true }))).x - (await getBox(row.getByRole("heading"))).x;
    assert.ok(titleWidth > 380, `the title has ${titleWidth} px`);

    await resizeWindow(page, { width: 1024, height: 768 });
    const line = row.locator("p").last();
    await line.getByText("Claude", { exact: true }).waitFor();
    await line.getByText("Claude, for Ada Berg").waitFor();
    await resizeWindow(page, phone);
    await line.getByText("Claude", { exact: true }).waitFor({ state: "hidden" });
    await row.getByTitle("Claude, for Ada Berg").locator("visible=true").first().waitFor();
    await row.getByText("Claude, for Ada Berg").locator("visible=true").waitFor();
    for (const title of ["Fog over the harbour wall", "Boats"]) {
      const details = getRow(title).locator("p").last();
      const time = details.locator("time").or(details.getByText("Planned for").locator(".."));
      const [timeBox, detailsBox] = [await getBox(time), await getBox(details)];
      assert.ok(timeBox.y < detailsBox.y + detailsBox.height / 2, `the time of ${title} is on the visible line`);
    }

    await resizeWindow(page, { width: 1024, height: 768 });
    await page.getByRole("radio", { name: "Compact" }).check();
    const stateBox = await getBox(row.getByText("Waiting for approval"));
    assert.ok(stateBox.width > 100, "a compact row shows the state in words");
    const otherStateBox = await getBox(getRow("Boats").getByText("Draft", { exact: true }));
    assert.equal(otherStateBox.x, stateBox.x, "all states start in the same column");
    await row.getByText("Planned for").locator("visible=true").waitFor();
    await assertFits(page);
    await resizeWindow(page, { width: 1440, height: 900 });
    const personWidth = (await getBox(author.getByText("for Ada Berg").last())).width;
    assert.ok(personWidth <= 1, "a compact row names the AI client, and only its tooltip the person");
    await page.context().close();
  });

  test("changes status and tags of several posts, moves them to the trash, and undoes it (WEB-7)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const ids = [await addPost(owner, "One"), await addPost(owner, "Two"), await addPost(owner, "Three")] as const;
    const page = await openPosts(owner);
    const listStatuses = async () => (await Promise.all(ids.map((id) => read(owner, id)))).map(({ status }) => status);
    const undo = () => page.getByRole("button", { name: "Undo" }).last().click();
    await select(page, "One");
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByText("1 of 3 selected").waitFor();
    await resizeWindow(page, phone);
    for (const label of ["Status", "Tags", "Trash"])
      assert.ok(((await bar.getByText(label, { exact: true }).boundingBox())?.width ?? 0) > 20, `${label} is visible`);
    await resizeWindow(page, desktop);
    await page.getByRole("checkbox", { name: "Select Three" }).click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").last().waitFor();
    await assertFits(page);
    await clickInMenu(page, "Status", "Ready");
    await page.getByText("Moved 3 posts to ready.").first().waitFor();
    assert.deepEqual(await listStatuses(), ["ready", "ready", "ready"]);
    await undo();
    await page.getByText("Undone for 3 posts.").first().waitFor();
    assert.deepEqual(await listStatuses(), ["draft", "draft", "draft"]);

    await clickInMenu(page, "Tags", "Add a tag…");
    await page.getByLabel("Tag", { exact: true }).fill("Spring");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByText("Added the tag “spring” to 3 posts.").first().waitFor();
    assert.deepEqual((await read(owner, ids[1])).tags, ["spring"]);
    await clickInMenu(page, "Tags", /^spring/);
    await page.getByText("Removed the tag “spring” from 3 posts.").first().waitFor();
    assert.deepEqual((await read(owner, ids[1])).tags, []);

    await page.getByRole("button", { name: "Move to trash", exact: true }).click();
    await page.getByText("Moved 3 posts to the trash.").first().waitFor();
    assert.equal((await listTrash(deps, owner, { limit: 20 })).items.length, 3);
    await undo();
    await page.getByRole("link", { name: "Two" }).waitFor();
    await waitUntil(async () => (await listTrash(deps, owner, { limit: 20 })).items.length === 0, {
      description: "all posts are restored",
    });
    await page.context().close();
  });

  test("reports which of several posts could not be changed, and why", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const [plannedId, freeId] = [await addPost(owner, "Planned"), await addPost(owner, "Free")];
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await publishPost(deps, owner, { postId: plannedId, connectionIds, at });
    const page = await openPosts(owner);
    await page.getByRole("checkbox", { name: "Select all 2" }).check();
    const problem = { code: "too_late", detail: "It has started.", hint: "Reload the page." };
    await page.route("**/cancel", (route) => route.fulfill({ status: 409, json: problem }));
    await clickInMenu(page, "Status", "Archived");
    await page.getByRole("button", { name: "Cancel publication and archive" }).click();
    const dialog = page.getByRole("dialog", { name: "1 post wasn’t changed" });
    await dialog.getByText("Planned").waitFor();
    assert.deepEqual(
      [(await read(owner, plannedId)).status, (await read(owner, freeId)).status],
      ["draft", "archived"],
    );
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Free" }).waitFor({ state: "detached" });
    await page.context().close();
  });

  test("cancels what is planned before it moves several posts to the trash (WEB-10)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const plannedIds = [await addPost(owner, "Fog"), await addPost(owner, "Tide")];
    for (const postId of plannedIds) await publishPost(deps, owner, { postId, connectionIds, at });
    await addPost(owner, "Free");
    const page = await openPosts(owner);
    await page.getByRole("checkbox", { name: "Select all 3" }).check();
    const moveToTrash = page.getByRole("button", { name: "Move to trash", exact: true });
    await moveToTrash.click();
    const dialog = page.getByRole("dialog", { name: "Move 3 posts to the trash?" });
    await dialog.getByText("This cancels what is planned for “Tide” and “Fog”.").waitFor();
    await dialog.getByRole("button", { name: "Keep them" }).click();
    const listStates = async () =>
      (await listPublications(deps, owner, { limit: 10 })).publications.map(({ state }) => state);
    assert.deepEqual(await listStates(), ["scheduled", "scheduled"]);
    await moveToTrash.click();
    await dialog.getByRole("button", { name: "Cancel publications and move to trash" }).click();
    await page.getByText("Moved 3 posts to the trash.").first().waitFor();
    assert.deepEqual(await listStates(), ["canceled", "canceled"]);
    assert.equal((await listTrash(deps, owner, { limit: 20 })).items.length, 3);
    await page.context().close();
  });

  test("loads more posts on scrolling, renders few of them, and returns to the position (WEB-12)", async () => {
    const owner = await newOwner();
    for (let i = 0; i < 130; i++) await addPost(owner, `Post ${i}`);
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Post 129", exact: true }).waitFor();
    const oldest = page.getByRole("link", { name: "Post 0", exact: true });
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
    assert.ok(((await page.evaluate("scrollY")) as number) > 2000);
    await page.context().close();
  });

  test("keeps a click and the focus while a long list loads the code that makes it virtual (WEB-12)", async () => {
    const owner = await newOwner();
    for (let i = 0; i < 60; i++) await addPost(owner, `Post ${i}`);
    const context = await fixture.openContext(owner, { viewport: desktop });
    const page = await context.newPage();
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/RowVirtualizer-*.js", async (route) => {
      await hold;
      await route.continue();
    });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    const button = page.getByRole("button", { name: "Actions for Post 57", exact: true });
    await button.hover();
    await page.mouse.down();
    const virtualRows = page.getByRole("list", { name: "Posts" }).locator("> li.absolute");
    assert.equal(await virtualRows.count(), 0);
    release();
    await virtualRows.first().waitFor();
    assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Actions for Post 57");
    await page.mouse.up();
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    await context.close();
  });

  test("moves a post between the columns of the board by keyboard, mouse and menu (WEB-12)", async () => {
    const owner = await newOwner();
    const postId = await addPost(owner, "Fog");
    await addPost(owner, "Boats", { status: "ready" });
    const page = await openPosts(owner, "?view=board");
    const waitForStatus = (status: string) =>
      waitUntil(async () => (await read(owner, postId)).status === status, { description: `the post is ${status}` });
    const column = (name: RegExp) => page.getByRole("region", { name });
    await column(/^Drafts/)
      .getByRole("link", { name: "Fog" })
      .waitFor();
    await assertFits(page);
    const handle = page.getByRole("button", { name: "Move Fog" });
    await resizeWindow(page, phone);
    await handle.press("Space");
    for (const name of ["Drafts", "Ready", "Scheduled"]) {
      await waitForPlace(page, name);
      if (name !== "Scheduled") await page.keyboard.press("ArrowRight");
    }
    await waitUntil(async () => ((await column(/^Scheduled/).boundingBox())?.x ?? Infinity) < phone.width / 2, {
      description: "the board scrolls sideways to the column",
    });
    const columnTops = await page
      .getByRole("region", { name: / posts?$/ })
      .evaluateAll((regions) => regions.map((region) => region.getBoundingClientRect().top));
    assert.equal(columnTops.length, 4);
    assert.equal(new Set(columnTops).size, 1, "the columns are in one row");
    await page.keyboard.press("Escape");
    await resizeWindow(page, desktop);
    await handle.press("Space");
    await waitForPlace(page, "Drafts");
    await page.keyboard.press("ArrowRight");
    await waitForPlace(page, "Ready");
    const hold = Promise.withResolvers<void>();
    await page.route(`**/posts/${postId}`, (route) => hold.promise.then(() => route.continue()));
    await page.keyboard.press("Space");
    await column(/^Ready/)
      .getByRole("link", { name: "Fog" })
      .waitFor();
    for (let polls = 0; polls < 2; polls++) await page.waitForResponse(/post-summaries\?.*status=draft/);
    assert.equal(
      await column(/^Drafts/)
        .getByRole("link", { name: "Fog" })
        .count(),
      0,
      "no poll moves the post back while its change is being saved",
    );
    hold.resolve();
    await waitForStatus("ready");
    await page.unroute(`**/posts/${postId}`);
    const toast = page.getByRole("listitem").filter({ hasText: "“Fog” is now ready." });
    await toast.getByRole("button", { name: "Undo" }).click();
    await toast.waitFor({ state: "detached" });
    await waitForStatus("draft");

    // Each column polls, so that the post can be in both for a moment.
    await column(/^Drafts/)
      .getByRole("link", { name: "Fog" })
      .waitFor();
    await column(/^Ready/)
      .getByRole("link", { name: "Fog" })
      .waitFor({ state: "detached" });
    const [from, to] = [await handle.boundingBox(), await column(/^Ready/).boundingBox()];
    assert.ok(from && to);
    await page.mouse.move(from.x - 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 100, to.y + 60, { steps: 8 });
    await waitForPlace(page, "Ready");
    await page.mouse.up();
    await column(/^Ready/)
      .getByRole("link", { name: "Fog" })
      .waitFor();
    await waitForStatus("ready");
    await toast.waitFor(); // until then, a poll from before the change can show the post in its old column

    await page.getByRole("button", { name: "Actions for Fog" }).click();
    await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
    await page.getByRole("link", { name: "Fog" }).waitFor({ state: "detached" });
    await waitForStatus("archived");
    await page.context().close();
  });

  test("a column of the board counts all its posts, also those that are not loaded (WEB-12)", async () => {
    const owner = await newOwner();
    for (let i = 1; i <= 22; i++) await addPost(owner, `Fog ${i}`);
    const page = await openPosts(owner, "?view=board");
    const drafts = page.getByRole("region", { name: /^Drafts/ });
    await page.getByRole("region", { name: "Drafts 22 posts" }).waitFor();
    assert.equal(await drafts.getByRole("listitem").count(), 20);
    await drafts.getByRole("button", { name: "Show more: Drafts" }).click();
    await drafts.getByRole("link", { name: "Fog 1", exact: true }).waitFor();
    await page.getByRole("region", { name: "Drafts 22 posts" }).waitFor();
    await page.getByRole("searchbox", { name: "Search posts" }).fill("fog");
    await page.getByRole("region", { name: "Drafts 20+ posts" }).waitFor();
    await page.context().close();
  });

  test("on a phone, a button shows the filters beyond the edge of the screen (WEB-12)", async () => {
    const owner = await newOwner();
    await newMember(fixture.service.deps, owner, "member");
    const tag = "the spring catalogue";
    await addPost(owner, "Fog", { tags: [tag], filenames: ["a.jpg", "b.jpg"] });
    const query = `?tag=${encodeURIComponent(tag)}`;
    const page = await openPosts(owner, query, {
      viewport: phone,
      hasTouch: true,
      isMobile: true,
      reducedMotion: "reduce",
    });
    const lastFilter = page.getByRole("button", { name: "Include archived" });
    await page.getByRole("button", { name: "Author" }).waitFor();
    const findOverflow = async (): Promise<number> => {
      const box = await lastFilter.boundingBox();
      return box ? box.x + box.width - phone.width : Infinity;
    };
    assert.ok((await findOverflow()) > 0, "the last filter is beyond the edge");
    const showMore = page.locator("button:has(.lucide-chevron-right):not([aria-label])");
    await showMore.nth(1).waitFor(); // the first one belongs to the tabs
    await showMore.last().tap();
    await waitUntil(async () => (await findOverflow()) <= 0, { description: "the last filter is in view" });
    await showMore.nth(1).waitFor({ state: "detached" });
    await assertFits(page);
    await page.context().close();
  });

  test("an empty tab says what it shows and how a post gets there; other filters only that nothing matches (WEB-12)", async () => {
    const owner = await newOwner();
    await addPost(owner, "Fog");
    const page = await openPosts(owner);
    await page.getByRole("link", { name: "Fog" }).waitFor();
    for (const [tab, nextStep] of [
      ["Ready", "choose Mark ready"],
      ["Scheduled", "Choose Schedule"],
      ["Published", "Open a post to publish it."],
      ["Archived", "Choose Archive"],
    ] as const) {
      await page.getByRole("navigation", { name: "Filter by status" }).getByRole("link", { name: tab }).click();
      await page.getByText(nextStep).waitFor();
    }
    await page.getByRole("searchbox", { name: "Search posts" }).fill("boats");
    await page.getByRole("heading", { name: "No matching posts" }).waitFor();
    await page.getByText("No archived posts match “boats” in title, text or tags.").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.waitForURL(/\/posts$/);
    await page.getByRole("link", { name: "Fog" }).waitFor(); // the URL changes before the field is cleared
    await page.getByRole("searchbox", { name: "Search posts" }).fill("boats");
    await page.getByRole("link", { name: "Clear search" }).click();
    await page.waitForURL(/\/posts$/);
    await page.context().close();
  });

  test("shows scheduled and published posts apart from drafts, as tabs and columns (WEB-12)", async () => {
    const { deps } = fixture.service;
    const owner = await newOwner();
    const [draftId, plannedId, publishedId] = [
      await addPost(owner, "Fog"),
      await addPost(owner, "Tide"),
      await addPost(owner, "Boats"),
    ];
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    const plan = (postId: string, inHours: number) =>
      publishPost(deps, owner, {
        postId,
        connectionIds,
        at: new Date(Date.now() + inHours * 3_600_000).toISOString(),
      });
    await plan(plannedId, 1);
    await plan(await addPost(owner, "Later tide"), 2);
    await publishPost(deps, owner, { postId: publishedId, connectionIds });
    const publicationId = (await read(owner, publishedId)).publications?.[0]?.id ?? "";
    const published = { ...unscheduledColumns, state: "published", publishedAt: Date.now() } as const;
    await deps.publications.update(publicationId, published, { states: ["scheduled"] });
    const page = await openPosts(owner);
    const listTitles = () => page.getByRole("heading", { level: 2 }).allTextContents();
    for (const [tab, title] of [
      ["Drafts", "Fog"],
      ["Scheduled", "Tide,Later tide"],
      ["Published", "Boats"],
    ] as const) {
      await page.getByRole("navigation", { name: "Filter by status" }).getByRole("link", { name: tab }).click();
      await waitUntil(async () => (await listTitles()).join() === title, { description: `${tab} has only ${title}` });
      await page.getByText(tab === "Scheduled" ? "Soonest first" : "Newest created first", { exact: true }).waitFor();
    }

    await page.getByRole("radio", { name: "Board" }).click();
    const column = (name: RegExp) => page.getByRole("region", { name });
    for (const [name, title] of [
      [/^Drafts/, "Fog"],
      [/^Scheduled/, "Tide"],
      [/^Published/, "Boats"],
    ] as const)
      await column(name).getByRole("link", { name: title, exact: true }).waitFor();
    const scheduledTitles = await column(/^Scheduled/)
      .getByRole("heading", { level: 3 })
      .allTextContents();
    assert.deepEqual(scheduledTitles, ["Tide", "Later tide"]);
    await column(/^Ready/)
      .getByText("Nothing is ready.")
      .waitFor();
    assert.equal(await page.getByRole("button", { name: "Move Boats" }).count(), 0);
    await page.getByRole("button", { name: "Move Fog" }).press("Space");
    await waitForPlace(page, "Drafts");
    await page.keyboard.press("ArrowRight");
    await waitForPlace(page, "Ready");
    await page.keyboard.press("ArrowRight");
    await waitForPlace(page, "Scheduled");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await page.getByRole("dialog", { name: "Schedule post Fog" }).waitFor();
    assert.equal((await read(owner, draftId)).status, "draft");
    await page.keyboard.press("Escape");
    await column(/^Drafts/)
      .getByRole("link", { name: "Fog" })
      .waitFor();
    await page.context().close();
  });

  /** A post planned for 10:00 in the studio's time zone, in the middle of next month. */
  async function planPost(owner: Caller, title: string): Promise<{ postId: string; day: string }> {
    const { deps } = fixture.service;
    const postId = await addPost(owner, title);
    const connectionIds = [await newConnection(deps, owner, "harbour", "sandbox")];
    const day = `${addMonths(toLocalTime(Date.now(), timezone).slice(0, 10), 1).slice(0, 7)}-15`;
    const time = resolveLocalTime(`${day}T10:00`, timezone);
    assert.ok(time.kind === "valid");
    await publishPost(deps, owner, { postId, connectionIds, at: time.iso });
    return { postId, day };
  }
  const waitForTime = (owner: Caller, postId: string, localTime: string) =>
    waitUntil(
      async () => {
        const scheduledFor = (await read(owner, postId)).publications?.[0]?.scheduledFor ?? "";
        return toLocalTime(Date.parse(scheduledFor), timezone) === localTime;
      },
      { description: `the post is planned for ${localTime}` },
    );

  test("reschedules on the calendar by keyboard and dialog, and rejects the past (PUB-1, WEB-12)", async () => {
    const owner = await newOwner();
    const { postId, day } = await planPost(owner, "Fog");
    await addPost(owner, "Boats");
    const page = await openPosts(owner, `?view=calendar&date=${day}`);
    // On a phone, the page has no table.
    const card = page.getByRole("table").getByRole("button", { name: /^Fog\b/ });
    const cardOnDay = page
      .getByRole("cell")
      .filter({ hasText: formatLongDay(day) })
      .getByRole("button", { name: /^Fog\b/ });
    await card.waitFor();
    await page.getByRole("complementary", { name: "Unscheduled" }).getByRole("link", { name: "Boats" }).waitFor();
    await assertFits(page);
    await card.press("Space");
    await waitForPlace(page, formatLongDay(day));
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, formatLongDay(addDays(day, 7)));
    const hold = Promise.withResolvers<void>();
    await page.route("**/reschedule", (route) => hold.promise.then(() => route.continue()));
    await page.keyboard.press("Space");
    await cardOnDay.waitFor({ state: "detached" });
    for (let polls = 0; polls < 2; polls++) await page.waitForResponse(/\/calendar\?/);
    assert.equal(await cardOnDay.count(), 0, "no poll moves the card back while its change is being saved");
    hold.resolve();
    await waitForTime(owner, postId, `${addDays(day, 7)}T10:00`);
    await page.unroute("**/reschedule");
    await page.getByRole("button", { name: "Undo" }).last().click();
    await waitForTime(owner, postId, `${day}T10:00`);
    await cardOnDay.waitFor();

    await page.evaluate(`globalThis.realNow = Date.now; Date.now = () => Date.parse("${addDays(day, 14)}T00:00Z")`);
    await card.press("Space");
    await waitForPlace(page, formatLongDay(day));
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, formatLongDay(addDays(day, 7)));
    await page.keyboard.press("Space");
    await page.getByText("That time is in the past.").first().waitFor();
    await waitForTime(owner, postId, `${day}T10:00`);
    await page.evaluate("Date.now = globalThis.realNow");

    await card.press("Enter");
    await page.getByRole("button", { name: "Reschedule" }).click();
    await page.getByLabel("Date and time").fill(`${addDays(day, 1)}T11:30`);
    await page.getByRole("button", { name: "Save time" }).click();
    await waitForTime(owner, postId, `${addDays(day, 1)}T11:30`);
    await page.context().close();
  });

  test("moves a card to another hour of the week, and shows an agenda on a phone (WEB-12)", async () => {
    const owner = await newOwner();
    const { postId, day } = await planPost(owner, "Fog");
    const page = await openPosts(owner, `?view=calendar&range=week&date=${day}`);
    const card = page.getByRole("button", { name: /^Fog\b/ });
    await waitForData(page);
    await card.press("Space");
    await waitForPlace(page, `${formatLongDay(day)}, 10:00`);
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, `${formatLongDay(day)}, 11:00`);
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, `${formatLongDay(day)}, 12:00`);
    await page.keyboard.press("Space");
    await waitForTime(owner, postId, `${day}T12:00`);
    await assertFits(page);
    await page.setViewportSize(phone);
    const agenda = page.getByRole("region").filter({ has: page.getByRole("heading", { level: 3 }) });
    await agenda.getByText("harbour · Sandbox").waitFor();
    assert.equal(await page.getByRole("table").count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await page.context().close();
  });

  test("on a touch screen, a week shows one button for a new post per day, and cells can be tapped (WEB-12)", async () => {
    const owner = await newOwner();
    const { day } = await planPost(owner, "Fog");
    const page = await openPosts(owner, `?view=calendar&range=week&date=${day}`, {
      viewport: { width: 1024, height: 1366 },
      hasTouch: true,
      isMobile: true,
    });
    const label = `New post on ${formatLongDay(day)}`;
    await page.getByRole("columnheader").getByRole("button", { name: label }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).tap();
    const cell = page.getByRole("button", { name: `${label}, 14:00` });
    assert.equal(await cell.locator("svg").isVisible(), false);
    await cell.tap();
    await page.getByRole("dialog", { name: /14:00/ }).waitFor();
    await page.context().close();
  });

  test("returns a card to its old time if the server rejects the change, and shows the reason", async () => {
    const owner = await newOwner();
    const { postId, day } = await planPost(owner, "Fog");
    const page = await openPosts(owner, `?view=calendar&range=week&date=${day}`);
    const problem = { code: "too_late", detail: "It has started.", hint: "Reload the page." };
    await page.route("**/reschedule", (route) => route.fulfill({ status: 409, json: problem }));
    const row = page.getByRole("row", { name: /^10:00/ });
    await waitForData(page);
    await row.getByRole("button", { name: /^Fog\b/ }).press("Space");
    await waitForPlace(page, `${formatLongDay(day)}, 10:00`);
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, `${formatLongDay(day)}, 11:00`);
    await page.keyboard.press("Space");
    await page.getByText("It has started. Reload the page.").first().waitFor();
    await row.getByRole("button", { name: /^Fog\b/ }).waitFor();
    await waitForTime(owner, postId, `${day}T10:00`);
    await page.context().close();
  });

  test("names the accounts whose time changed if the server rejects the change for another one", async () => {
    const owner = await newOwner();
    const { postId, day } = await planPost(owner, "Fog");
    const at = (await read(owner, postId)).publications?.[0]?.scheduledFor ?? "";
    const { deps } = fixture.service;
    await publishPost(deps, owner, {
      postId,
      connectionIds: [await newConnection(deps, owner, "lagoon", "sandbox")],
      at,
    });
    const page = await openPosts(owner, `?view=calendar&range=week&date=${day}`);
    const problem = { code: "too_late", detail: "It has started.", hint: "Reload the page." };
    let requests = 0;
    await page.route("**/reschedule", (route) =>
      requests++ === 0 ? route.continue() : route.fulfill({ status: 409, json: problem }),
    );
    await waitForData(page);
    await page.getByRole("button", { name: /^Fog\b/ }).press("Space");
    await waitForPlace(page, `${formatLongDay(day)}, 10:00`);
    await page.keyboard.press("ArrowDown");
    await waitForPlace(page, `${formatLongDay(day)}, 11:00`);
    await page.keyboard.press("Space");
    const text = /moved to .* for (?:harbour|lagoon)\. Its other accounts keep their time\. It has started\. Reload/;
    await page.getByText(text).first().waitFor();
    assert.equal(requests, 2);
    await page.context().close();
  });

  test("offers no changes to a user who may only read (WEB-2)", async () => {
    const owner = await newOwner();
    const { day } = await planPost(owner, "Fog");
    const context = await fixture.openContext(owner, { viewport: desktop });
    const page = await context.newPage();
    await page.route(new RegExp(`/api/studios/${owner.studio.id}$`), async (route) => {
      const response = await route.fetch();
      const studio = (await response.json()) as { may: string[] };
      await route.fulfill({
        response,
        json: { ...studio, may: studio.may.filter((action) => action.endsWith(".read")) },
      });
    });
    const open = (query: string) => page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts${query}`);
    await open("");
    await page.getByRole("link", { name: "Fog" }).waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
    assert.equal(await page.getByRole("link", { name: "New post" }).count(), 0);
    await page.getByRole("button", { name: "Actions for Fog" }).click();
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    assert.deepEqual(await page.getByRole("menuitem").allTextContents(), ["Open", "Copy link"]);
    await open("?view=board");
    await page.getByRole("link", { name: "Fog" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Move Fog" }).count(), 0);
    await page.getByText("Nothing is ready.", { exact: true }).waitFor();
    await open(`?view=calendar&date=${day}`);
    const card = page.getByRole("button", { name: /^Fog\b/ });
    assert.equal(await card.getAttribute("aria-roledescription"), null);
    await waitForPaint(page);
    await card.press("Enter");
    await page.getByRole("link", { name: "Open post" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Reschedule" }).count(), 0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  });
});
