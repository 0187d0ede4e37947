import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { PublicationChange } from "#domain/publishing/ports.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { resolveLocalTime, toLocalTime } from "../../web/src/publishing/zoned-time.ts";
import { addDays, addMonths, formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { resizeWindow } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { attachNewFile, createOwner, openStudioPage } from "../support/web-posts.ts";

const timezone = "Europe/Berlin";
const phone = { width: 390, height: 844 };

describe("planning a studio's publications in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let connectionIds: [harbour: string, quay: string];
  const today = toLocalTime(Date.now(), timezone).slice(0, 10);
  /** In the middle of next month. */
  const day = `${addMonths(today, 1).slice(0, 7)}-15`;
  const errors: string[] = [];
  before(async () => void (fixture = await startWebFixture()));
  after(async () => {
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  /** Creates an owner with a studio and two accounts, and opens a page of the studio. */
  async function openAsNewOwner(path: string): Promise<Page> {
    const { deps } = fixture.service;
    owner = await createOwner(deps, { timezone });
    connectionIds = [
      await newConnection(deps, owner, "harbour", "sandbox"),
      await newConnection(deps, owner, "quay", "sandbox"),
    ];
    return openStudioPage(fixture, owner, path, { errors, viewport: { width: 1440, height: 900 } });
  }
  async function addPost(title: string, plan?: { ids?: readonly string[]; localTime?: string }): Promise<string> {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title, body: `${title}.` });
    if (!plan) return postId;
    const time = resolveLocalTime(plan.localTime ?? "", timezone);
    await publishPost(deps, owner, {
      postId,
      connectionIds: [...(plan.ids ?? connectionIds)],
      ...(time.kind === "valid" ? { at: time.iso } : {}),
    });
    return postId;
  }
  /** Account, state and local time of each publication, newest first. */
  async function readPlans(postId: string): Promise<string[]> {
    const { publications = [] } = await getPost(fixture.service.deps, owner, { postId });
    return publications.map(({ account, state, scheduledFor }) =>
      [account, state, scheduledFor && toLocalTime(Date.parse(scheduledFor), timezone)].filter(Boolean).join(" "),
    );
  }
  async function changePublications(postId: string, values: PublicationChange): Promise<void> {
    const { deps } = fixture.service;
    for (const { id } of (await getPost(deps, owner, { postId })).publications ?? [])
      await deps.publications.update(
        id,
        { ...values, dueAt: null, nextRunAt: null },
        { states: ["scheduled", "proposed"] },
      );
  }
  const failPublications = (postId: string) =>
    changePublications(postId, {
      state: "failed",
      problem: { code: "rejected", message: "The account is suspended." },
    });
  async function publishTo(postId: string, ...ids: string[]): Promise<void> {
    await publishPost(fixture.service.deps, owner, { postId, connectionIds: ids });
  }

  test("creates a post on a day or hour of the calendar, by keyboard and on a phone, and offers its time (WEB-12)", async () => {
    const page = await openAsNewOwner(`posts?view=calendar&date=${day}`);
    const getButton = (label: string) => page.getByRole("button", { name: `New post on ${label}`, exact: true });
    const firstButton = page.locator("[data-new-post]").first();
    await firstButton.waitFor();
    assert.equal(await page.locator("[data-new-post][tabindex='0']").count(), 1);
    assert.deepEqual(await findViolations(page), []);
    await getButton(formatLongDay(day)).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^New post for .*, 09:00$/ });
    await dialog.getByLabel("Title").fill("Low tide");
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Create draft" }).click();
    const localTime = `${addDays(day, 8)}T09:00`;
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("The mussels are out.");
    assert.equal(await text.inputValue(), "The mussels are out.");
    await page.getByRole("button", { name: /^Schedule for / }).click();
    assert.equal(await page.getByLabel("Date and time").inputValue(), localTime);
    await page.getByRole("checkbox", { name: "harbour" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Schedule" }).click();
    await page.getByText(/^Intended for /).waitFor({ state: "detached" });
    assert.deepEqual(await readPlans(new URL(page.url()).pathname.split("/").at(-1) ?? ""), [
      `harbour scheduled ${localTime}`,
    ]);

    const postsUrl = `${fixture.service.base}/studios/${owner.studio.id}/posts`;
    await page.goto(`${postsUrl}?view=calendar&range=week&date=${day}`);
    await getButton(`${formatLongDay(day)}, 14:00`).waitFor();
    for (const [hour, name] of [["00:00", "earlier hours"] as const, ["23:00", "later hours"] as const]) {
      const hourButton = getButton(`${formatLongDay(day)}, ${hour}`);
      assert.equal(await hourButton.count(), 0);
      await page.getByRole("button", { name: `Show ${name}` }).click();
      await hourButton.click();
      await page
        .getByRole("dialog", { name: new RegExp(`, ${hour}$`) })
        .getByRole("button", { name: "Cancel" })
        .click();
      await page.getByRole("button", { name: `Hide ${name}` }).waitFor();
    }
    assert.deepEqual(await findViolations(page), []);
    await page.goto(`${postsUrl}?view=calendar&range=week&date=${addDays(today, -7)}`);
    await page.getByRole("table").waitFor();
    assert.equal(await firstButton.count(), 0, "the past has no buttons");

    await page.setViewportSize(phone);
    await page.goto(`${postsUrl}?view=calendar&date=${day}`);
    await getButton(formatLongDay(addDays(day, 8))).click();
    await page
      .getByRole("dialog", { name: /^New post for / })
      .getByLabel("Title")
      .fill("High tide");
    await page.keyboard.press("Enter");
    await page.getByText(/^Intended for /).waitFor();
    await page.getByRole("button", { name: "Clear the intended time" }).click();
    await page.getByText(/^Intended for /).waitFor({ state: "detached" });
    await page.waitForURL((url) => !url.searchParams.has("at"));
    await page.context().close();
  });

  test("publishes again what failed, schedules from a row's menu, and cancels on the calendar (PUB-1)", async () => {
    const page = await openAsNewOwner("publications");
    const [failedId, draftId] = [await addPost("Fog", { ids: [connectionIds[0]] }), await addPost("Boats")];
    await failPublications(failedId);
    await page.getByRole("button", { name: "Publish again to harbour" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish post Fog" });
    assert.equal(await dialog.getByRole("checkbox", { name: "harbour" }).isChecked(), true);
    assert.equal(await dialog.getByRole("checkbox", { name: "quay" }).isChecked(), false);
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Publishing now.").first().waitFor();
    assert.deepEqual(await readPlans(failedId), ["harbour scheduled", "harbour failed"]);
    // The newer publication has replaced the failed one.
    const publishAgain = page.getByRole("button", { name: "Publish again to harbour" });
    await publishAgain.waitFor({ state: "detached" });
    await failPublications(await addPost("Mist", { ids: [connectionIds[1]] }));
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications?state=failed`);
    await page.getByRole("button", { name: "Publish again to quay" }).waitFor();
    assert.equal(await publishAgain.count(), 0, "a filtered list offers it no more");
    await page.getByRole("link", { name: "Fog", exact: true }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.equal(await publishAgain.count(), 0, "its own page offers it no more");
    // The newer publication is not in this filtered list, but still replaces the failed one.
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications?from=${day}`);
    await page.getByText("1 publication needs your attention:").waitFor();
    await page.getByRole("link", { name: "Publications 1 needs attention" }).waitFor();

    const postsUrl = `${fixture.service.base}/studios/${owner.studio.id}/posts`;
    await page.goto(`${postsUrl}?view=board`);
    await page.getByText("Drag a draft here when it’s done.").waitFor();
    await page.getByRole("button", { name: "Actions for Boats" }).click();
    await page.getByRole("menuitem", { name: "Schedule…" }).click();
    const schedule = page.getByRole("dialog", { name: "Schedule post Boats" });
    await schedule.getByLabel("Date and time").fill(`${day}T10:00`);
    assert.deepEqual(await findViolations(page), []);
    await schedule.getByRole("button", { name: "Schedule" }).click();
    await page
      .getByText(/^Scheduled for .*, 10:00 (UTC|GMT[+]\d)\.$/)
      .first()
      .waitFor();
    assert.deepEqual((await readPlans(draftId)).toSorted(), [
      `harbour scheduled ${day}T10:00`,
      `quay scheduled ${day}T10:00`,
    ]);

    await page.goto(`${postsUrl}?view=calendar&date=${day}`);
    await page.getByRole("button", { name: /^Boats\b/ }).click();
    const actions = page.getByRole("dialog", { name: "Boats" }).getByRole("button");
    await actions.first().waitFor();
    assert.deepEqual(await actions.allTextContents(), ["Cancel publication", "Close", "Reschedule…"]);
    const boxes = await Promise.all((await actions.all()).map((action) => action.boundingBox()));
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1, "the buttons fit on one line");
    await page.getByRole("button", { name: "Cancel publication" }).click();
    await page
      .getByRole("dialog", { name: /^Cancel publishing to / })
      .getByRole("button", { name: "Cancel publication" })
      .click();
    await page.getByRole("button", { name: /^Boats\b/ }).waitFor({ state: "detached" });
    assert.deepEqual(
      (await readPlans(draftId)).map((plan) => plan.split(" ")[1]),
      ["canceled", "canceled"],
    );
    await page.context().close();
  });

  test("preselects no account that the post is already published to (PUB-1)", async () => {
    const page = await openAsNewOwner("posts");
    const { deps } = fixture.service;
    const postId = await addPost("Gulls", { ids: [connectionIds[0]] });
    await updatePost(deps, owner, {
      postId,
      variants: connectionIds.map((connectionId) => ({ connectionId, body: "Gulls!" })),
    });
    for (const { id } of (await getPost(deps, owner, { postId })).publications ?? [])
      await deps.publications.update(
        id,
        { state: "published", publishedAt: Date.now(), dueAt: null, nextRunAt: null },
        { states: ["scheduled"] },
      );
    const openDialog = async () => {
      await page.getByRole("button", { name: "Actions for Gulls" }).click();
      await page.getByRole("menuitem", { name: "Schedule…" }).click();
    };
    await openDialog();
    const dialog = page.getByRole("dialog", { name: "Schedule post Gulls" });
    await dialog.getByText(/^Sandbox\. Already published: /).waitFor();
    assert.equal(await dialog.getByRole("checkbox", { name: "harbour" }).isChecked(), false);
    assert.equal(await dialog.getByRole("checkbox", { name: "quay" }).isChecked(), true);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    // The post is in the cache now, but may have been published since.
    let isFailing = true;
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/posts/${postId}`, async (route) => {
      if (isFailing) return route.fulfill({ status: 400, json: {} });
      await hold; // a poll must not load the post before the user tries again
      return route.continue();
    });
    await openDialog();
    await dialog.getByRole("alert").waitFor();
    assert.equal(await dialog.getByRole("checkbox").count(), 0);
    isFailing = false;
    await dialog.getByRole("button", { name: "Try again" }).click();
    release();
    await dialog.getByRole("checkbox", { name: "quay" }).waitFor();
    await page.context().close();
  });

  test("lists what goes out next by day, and links what needs a person (WEB-10)", async () => {
    const page = await openAsNewOwner("publications/upcoming");
    await page.getByRole("heading", { name: "Nothing is planned" }).waitFor();
    await addPost("Later", { localTime: `${addDays(today, 9)}T10:00` });
    const soonerId = await addPost("Sooner", { localTime: `${addDays(today, 3)}T10:00` });
    await attachNewFile(fixture.service.deps, owner, soonerId, "fog.jpg");
    await failPublications(await addPost("Fog", { ids: [connectionIds[1]] }));
    const expectedDays = [formatLongDay(addDays(today, 3)), formatLongDay(addDays(today, 9))].join();
    const dayHeadings = page.getByRole("heading", { level: 3 });
    // The page may have polled before all of them were added.
    await waitUntil(async () => (await dayHeadings.allTextContents()).join() === expectedDays, {
      description: expectedDays,
    });
    assert.deepEqual(await findViolations(page), []);
    await page.locator("li img").waitFor();
    const [laterBox, soonerBox] = await Promise.all(
      ["Later", "Sooner"].map((title) => page.getByText(title, { exact: true }).boundingBox()),
    );
    assert.ok(laterBox && laterBox.x === soonerBox?.x, "titles are aligned, with and without a thumbnail");
    await page.setViewportSize(phone);
    await page.getByRole("button", { name: /Sooner/ }).click();
    await page.getByRole("dialog", { name: "Sooner" }).getByRole("button", { name: "Close" }).click();

    await page.getByRole("navigation", { name: "Publications" }).getByRole("link", { name: "All" }).click();
    const notice = page.getByText("1 publication needs your attention:");
    await notice.waitFor();
    await changePublications(await addPost("Tide", { ids: [connectionIds[0]] }), { state: "proposed" });
    const menu = page.getByRole("button", { name: "Menu 1 waiting for approval, 1 needs attention", exact: true });
    assert.equal(await menu.locator("..").locator("span[aria-hidden=true]").textContent(), "2");
    assert.deepEqual(await findViolations(page), []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await page.getByRole("link", { name: "1 failed" }).click();
    await notice.waitFor({ state: "detached" });
    assert.match(page.url(), /state=failed/);
    const rows = page.getByRole("list", { name: "Publications" }).getByRole("listitem");
    await rows.getByText("The account is suspended.").waitFor();
    assert.equal(await rows.count(), 1);
    await page.context().close();
  });

  test("doesn't offer another time for a missed publication that a newer one has replaced (PUB-10)", async () => {
    const page = await openAsNewOwner("publications");
    const postId = await addPost("Fog", { localTime: `${day}T10:00` });
    await changePublications(postId, { state: "missed" });
    await publishTo(postId, connectionIds[0]);
    const assertActions = async (place: string) => {
      await page.getByRole("button", { name: "Reschedule quay" }).waitFor();
      await page.getByRole("button", { name: "Cancel publication to harbour" }).last().waitFor();
      await page.getByText("A newer publication has replaced it.").waitFor();
      // The newer publication can be rescheduled.
      assert.equal(await page.getByRole("button", { name: "Reschedule harbour" }).count(), 1, place);
    };
    await page.reload();
    await assertActions("list");
    const studioUrl = `${fixture.service.base}/studios/${owner.studio.id}`;
    await page.goto(`${studioUrl}/posts/${postId}`);
    await assertActions("post");

    await page.goto(`${studioUrl}/posts?view=calendar&date=${day}`);
    const dialog = page.getByRole("dialog", { name: "Fog" });
    const cards = page.getByRole("button", { name: /^Fog\b/ });
    await cards.nth(1).waitFor();
    const offersTime: Record<string, boolean> = {};
    for (let i = 0; i < 2; i++) {
      await cards.nth(i).press("Enter");
      await dialog.getByRole("button", { name: "Cancel publication" }).waitFor();
      await dialog.getByText("Sandbox", { exact: true }).waitFor(); // the name is loaded separately
      const account = (await dialog.getByRole("listitem").textContent()) ?? "";
      offersTime[account] = await dialog.getByRole("button", { name: "Reschedule" }).isVisible();
      await dialog.getByRole("button", { name: "Close" }).click();
    }
    assert.deepEqual(offersTime, { harbourSandbox: false, quaySandbox: true });
    await page.context().close();
  });

  test("the attention notice leads only to failed publications that were not replaced; clearing the filter shows the replaced ones too (WEB-10)", async () => {
    const page = await openAsNewOwner("publications");
    const [replacedId, otherId] = [
      await addPost("Fog", { ids: [connectionIds[0]] }),
      await addPost("Mist", { ids: [connectionIds[1]] }),
    ];
    await failPublications(replacedId);
    await failPublications(otherId);
    await publishTo(replacedId, connectionIds[0]);
    await page.reload();
    await page.getByText("1 publication needs your attention:").waitFor();
    await page.getByRole("link", { name: "1 failed" }).click();
    const rows = page.getByRole("list", { name: "Publications" }).getByRole("listitem");
    await page.getByRole("link", { name: "1 failed" }).waitFor({ state: "detached" });
    await rows.filter({ hasText: "Mist" }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole("checkbox", { name: "Hide earlier attempts", checked: true }).click();
    await rows.filter({ hasText: "Fog" }).waitFor();
    assert.equal(await rows.count(), 2);
    await page.waitForURL((url) => !url.searchParams.has("latest"));
    await page.context().close();
  });

  test("on a phone, the filters of posts and publications leave most of the screen to the list (WEB-12)", async () => {
    await (await openAsNewOwner("posts")).context().close();
    await addPost("Fog", { localTime: `${day}T10:00` });
    const options = { errors, viewport: phone, hasTouch: true, isMobile: true };
    const page = await openStudioPage(fixture, owner, "posts", options);
    const row = page.getByRole("listitem").filter({ hasText: "Fog" });
    assert.ok(((await row.boundingBox())?.y ?? phone.height) < 350);
    const filters = page.getByRole("button", { name: "Filters", exact: true });
    const tag = page.getByRole("button", { name: "Tag" });
    assert.equal(await tag.isVisible(), false);
    await filters.tap();
    await tag.tap();
    await page.getByText("No recent post has a tag.").waitFor();
    assert.equal((await tag.boundingBox())?.height, 44);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    // A button shows that there are more tabs, until the last one is in view.
    const showMoreTabs = page.locator("button:has(.lucide-chevron-right):not([aria-label])");
    await showMoreTabs.waitFor();

    const postsUrl = page.url();
    await page.goto(`${postsUrl}?status=archived`);
    const archivedTab = page.getByRole("navigation", { name: "Filter by status" }).getByText("Archived");
    await archivedTab.waitFor();
    // The row scrolls after its first render.
    await waitUntil(
      async () => {
        const lastTab = await archivedTab.boundingBox();
        return lastTab !== null && lastTab.x + lastTab.width <= phone.width;
      },
      { description: "the selected tab is in view" },
    );
    await showMoreTabs.waitFor({ state: "detached" });
    await page.goto(`${postsUrl}?view=board`);
    await page.getByText("mark it ready in its menu").waitFor();
    assert.equal(await page.getByText("Drag a draft here").isVisible(), false);
    await page.goto(postsUrl.replace("/posts", "/publications"));
    await row.first().waitFor();
    assert.ok(((await row.first().boundingBox())?.y ?? phone.height) < 350);
    const status = page.getByLabel("Status");
    assert.equal(await status.isVisible(), false);
    assert.equal((await filters.boundingBox())?.height, 44);
    await filters.tap();
    await status.selectOption("failed");
    await page.getByRole("button", { name: "Filters (1 active)" }).tap();
    await status.waitFor({ state: "hidden" });
    assert.deepEqual(await findViolations(page), []);
    await page.context().close();
  });

  test("filters the calendar by account, and moves only the accounts that are shown (PUB-1, WEB-12)", async () => {
    const page = await openAsNewOwner(`posts?view=calendar&date=${day}`);
    const bothId = await addPost("Mussels", { localTime: `${day}T10:00` });
    await addPost("Rope", { ids: [connectionIds[1]], localTime: `${day}T11:00` });
    const card = page.getByRole("button", { name: /^Mussels\b/ });
    await card.getByText("quay", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Accounts", exact: true }).click();
    await page.getByRole("menuitemcheckbox", { name: /^harbour/ }).click();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Accounts: harbour" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: /^Rope\b/ }).waitFor({ state: "detached" });
    await card.getByText("harbour").first().waitFor();
    assert.match(page.url(), new RegExp(`accounts=${connectionIds[0]}`));

    await card.press("Enter");
    await page.getByRole("button", { name: "Reschedule" }).click();
    await page.getByLabel("Date and time").fill(`${addDays(day, 1)}T12:00`);
    await page.getByRole("button", { name: "Save time" }).click();
    await page.getByText("for harbour. Its other accounts keep their time.").first().waitFor();
    assert.deepEqual((await readPlans(bothId)).toSorted(), [
      `harbour scheduled ${addDays(day, 1)}T12:00`,
      `quay scheduled ${day}T10:00`,
    ]);

    await page.reload();
    await page.getByRole("button", { name: "Accounts: harbour" }).click();
    await page.getByRole("menuitem", { name: "All accounts" }).click();
    await page.getByRole("button", { name: /^Rope\b/ }).waitFor();
    assert.doesNotMatch(page.url(), /accounts=/);
    await page.context().close();
  });

  test("on a phone, a planned post shows its time and its state, and nothing says to mark it ready (WEB-12)", async () => {
    await (await openAsNewOwner("posts")).context().close();
    const postId = await addPost("Mussels", { localTime: `${day}T10:00` });
    // So far ahead that its time may include the year.
    await addPost("Rope", { localTime: `${addMonths(today, 11).slice(0, 7)}-15T10:00` });
    const longTitle = "A walk along the harbour wall at low tide, with notes on every boat that we met on the way";
    await addPost(longTitle, { localTime: `${day}T11:00` });
    const page = await openStudioPage(fixture, owner, "posts", {
      errors,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const times = page.getByText("Planned for").locator("..");
    await times.nth(2).waitFor();
    for (const time of await times.all()) {
      const [box, lineBox] = [await time.boundingBox(), await time.locator("..").boundingBox()];
      assert.ok(box && lineBox);
      assert.ok(box.x + box.width <= lineBox.x + lineBox.width, `${await time.textContent()} is clipped`);
      const line = time.locator("..");
      await line.getByText("Scheduled", { exact: true }).waitFor();
      assert.equal(await line.locator("svg:visible").count(), 1);
    }
    const rows = await page.getByRole("list", { name: "Posts" }).getByRole("listitem").all();
    const rowHeights = await Promise.all(rows.map(async (row) => (await row.boundingBox())?.height));
    assert.deepEqual([rowHeights.length, new Set(rowHeights).size], [3, 1], "a long title makes no row higher");
    const longTitleBox = await page.getByRole("heading", { name: longTitle }).boundingBox();
    const shortTitleBox = await page.getByRole("heading", { name: "Mussels" }).boundingBox();
    const timeBox = await times.first().boundingBox();
    assert.ok(longTitleBox && shortTitleBox && timeBox);
    assert.equal(longTitleBox.height, 2 * shortTitleBox.height);
    assert.ok(longTitleBox.y + longTitleBox.height <= timeBox.y, "the title ends above the state and the time");
    const checkbox = await page.getByRole("checkbox", { name: "Select Mussels" }).boundingBox();
    const [title, newPost] = [page.getByRole("heading", { level: 1 }), page.getByRole("link", { name: "New post" })];
    const [titleBox, newPostBox] = [await title.boundingBox(), await newPost.boundingBox()];
    assert.ok(checkbox && titleBox && newPostBox);
    assert.equal(checkbox.x, titleBox.x, "the boxes start at the page's margin");
    assert.equal(newPostBox.x + newPostBox.width, phone.width - titleBox.x, "the button ends at the page's margin");
    await page.getByRole("link", { name: "Mussels" }).click();
    const header = page.getByRole("button", { name: "Actions for this post" }).locator("../..");
    await header.getByText("Scheduled", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Mark ready" }).count(), 0);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await changePublications(postId, { state: "proposed", approvedRevision: null });
    await header.getByText("Waiting for approval", { exact: true }).waitFor();
    assert.equal(await header.getByRole("link", { name: "Approve…" }).count(), 0, "the user requested it");
    assert.deepEqual(await findViolations(page), []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    const publication = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem").first();
    const checkActions = async (linkName: string, widths: number[]): Promise<void> => {
      await publication.getByRole("link", { name: linkName }).waitFor();
      const layouts = new Set<string>();
      for (const width of widths) {
        await resizeWindow(page, { width, height: 844 });
        const action = publication.getByRole("button").or(publication.getByRole("link", { name: linkName }));
        await action.nth(2).waitFor();
        const actions = await action.all();
        const boxes = await Promise.all(actions.map((each) => each.boundingBox()));
        const lines = new Set(boxes.map((box) => box?.y));
        const maxLines = width === 1024 ? 2 : 1; // there, the card with the files is beside them
        assert.ok(boxes.length === 3 && lines.size <= maxLines, `${lines.size} lines of actions at ${width} px`);
        layouts.add(boxes.map((box) => Math.round(box?.width ?? 0)).join(" "));
      }
      assert.equal(layouts.size, 1, `the actions have the same widths everywhere: ${[...layouts].join(", ")}`);
    };
    await checkActions("View", [1440, 1024, phone.width]);
    await changePublications(postId, { approvedRevision: 1 });
    await header.getByRole("link", { name: "Approve…" }).waitFor();
    await checkActions("Review", [1440, 1024, phone.width]);
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications/approvals`);
    for (const width of [1440, 1024]) {
      await resizeWindow(page, { width, height: 844 });
      const button = page.locator("[data-sticky-actions]").first().getByRole("button");
      await button.nth(3).waitFor();
      const boxes = await Promise.all((await button.all()).map((each) => each.boundingBox()));
      assert.equal(new Set(boxes.map((box) => box?.y)).size, 1, `an approval has one line of actions at ${width} px`);
    }
    await resizeWindow(page, phone);

    await updatePost(fixture.service.deps, owner, { postId: await addPost("Anchor"), tags: ["tide", "wall", "fog"] });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    const getRow = (title: string) => page.getByRole("listitem").filter({ hasText: title });
    for (const [title, text] of [
      ["Mussels", "Waiting for approval"],
      ["Mussels", /^\d+ \w+, 10:00$/],
      ["Anchor", "tide"],
    ] as const) {
      const line = getRow(title).locator("p").last();
      const shownText = line.getByText(text, { exact: true }).locator("visible=true");
      const [box, lineBox] = [await shownText.boundingBox(), await line.boundingBox()];
      assert.ok(box && lineBox);
      assert.ok(box.x + box.width <= lineBox.x + lineBox.width && box.y < lineBox.y + lineBox.height, `${text} fits`);
      assert.equal((await getRow(title).boundingBox())?.height, rowHeights[0], "all rows have the same height");
    }

    await resizeWindow(page, { width: 1120, height: 768 });
    const heading = page.getByText("State", { exact: true });
    await heading.waitFor();
    const row = getRow("Mussels");
    const state = row.getByText("Waiting for approval", { exact: true });
    const [stateBox, dateBox] = [
      await state.boundingBox(),
      await row.getByText("Planned for").locator("..").boundingBox(),
    ];
    const otherStateBox = await page.getByText("Scheduled", { exact: true }).last().boundingBox();
    assert.ok(stateBox && dateBox && otherStateBox);
    assert.ok(stateBox.height <= 2 * otherStateBox.height, "the state has at most two lines");
    assert.ok(stateBox.x + stateBox.width <= dateBox.x, "the date does not cover the state");
    const headingBox = await heading.boundingBox();
    assert.ok(headingBox && headingBox.x <= stateBox.x && stateBox.x < headingBox.x + headingBox.width);
    await page.context().close();
  });

  test("all rows of the publications list have the same layout, and all problems the same color (WEB-12)", async () => {
    await (await openAsNewOwner("publications")).context().close();
    const ids = [connectionIds[0]];
    await failPublications(await addPost("Fog", { ids }));
    await changePublications(await addPost("Mist", { ids }), { state: "missed" });
    await changePublications(await addPost("Mussels", { ids }), { state: "proposed", approvedRevision: 1 });
    await addPost("Boats", { ids, localTime: `${day}T10:00` });
    const page = await openStudioPage(fixture, owner, "publications", {
      errors,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const row = page.getByRole("list", { name: "Publications" }).getByRole("listitem");
    await row.filter({ hasText: "Mussels" }).getByRole("link", { name: "Review harbour" }).waitFor();
    const rows = await row.all();
    assert.equal(rows.length, 4);
    const failedActions = row.filter({ hasText: "Fog" }).locator("> div").last().locator("a, button");
    assert.deepEqual(
      await failedActions.allTextContents(),
      ["Publish again…", "Open post"],
      "the next step comes first",
    );
    for (const width of [1440, 1024, phone.width]) {
      await resizeWindow(page, { width, height: 844 });
      const gaps = await Promise.all(
        rows.map(async (each) => {
          const [text, actions] = await Promise.all(
            [each.locator("> div").first(), each.locator("> div").last()].map((part) => part.boundingBox()),
          );
          assert.ok(text && actions && actions.height < 50, `the actions are on one line at ${width} px`);
          return actions.y - (text.y + text.height);
        }),
      );
      assert.equal(new Set(gaps.map((gap) => gap > 0)).size, 1, `all actions are on the same side at ${width} px`);
    }
    for (const text of ["The account is suspended.", "The server was down"])
      assert.equal(await page.getByText(text).and(page.locator(".text-danger")).count(), 1, text);
    await page.context().close();
  });

  test("the page of a failed or missed publication says what to do next, with a button in view on a phone (PUB-1, WEB-12)", async () => {
    await (await openAsNewOwner("publications")).context().close();
    const { deps } = fixture.service;
    const [harbour, quay] = connectionIds;
    const addEnded = async (connectionId: string, values: PublicationChange): Promise<string> => {
      const postId = await addPost("A walk along the harbour wall at low tide", { ids: [connectionId] });
      await changePublications(postId, values);
      const [publication] = (await getPost(deps, owner, { postId })).publications ?? [];
      return `publications/${publication?.id}`;
    };
    const problem = { code: "rejected", message: "The platform rejected the post (status 422)." };
    const blocked = { code: "blocked", message: "The platform has blocked the account." };
    const tooLong = { code: "not_publishable", message: "The text is too long." };
    const failedPath = await addEnded(harbour, { state: "failed", problem });
    const blockedPath = await addEnded(harbour, { state: "failed", problem: blocked });
    const missedPath = await addEnded(quay, { state: "missed" });
    const pages = {
      [failedPath]: [
        "The platform rejected the post (status 422). Nothing was published. Fix the cause, then publish it again.",
        "Publish again to harbour",
      ],
      [blockedPath]: ["Nothing was published. Check the account, then publish it again.", "Go to Platforms"],
      [await addEnded(harbour, { state: "failed", problem: tooLong })]: [
        "The text is too long. Nothing was published. Change the post, then publish it again.",
        "Open post",
      ],
      [missedPath]: [
        "The server was down at the scheduled time, so nothing was published. Choose a new time or cancel it.",
        "Reschedule quay",
      ],
    } as const;
    const page = await openStudioPage(fixture, owner, "publications", {
      errors,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const assertOffers = async (path: string, sentence: string, label: string) => {
      await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
      const notice = page.getByText(sentence).locator("../..");
      const box = await getBox(notice, label);
      const firstAction = notice.getByRole("button").or(notice.getByRole("link")).first();
      assert.equal((await firstAction.getAttribute("aria-label")) ?? (await firstAction.textContent()), label);
      assert.ok(box.height >= 43.5 && box.y + box.height < phone.height, `${label} is out of view`);
      assert.deepEqual(await findViolations(page), []);
    };
    const getBox = async (notice: Locator, label: string) => {
      const action = notice.getByRole("button", { name: label }).or(notice.getByRole("link", { name: label }));
      await action.waitFor();
      const box = await action.boundingBox();
      assert.ok(box);
      return box;
    };
    for (const [path, [sentence, label]] of Object.entries(pages)) await assertOffers(path, sentence, label);

    await resizeWindow(page, { width: 1024, height: 844 });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${blockedPath}`);
    const text = page.getByText(pages[blockedPath]?.[0] ?? "");
    const textBox = await text.boundingBox();
    const firstBox = await getBox(text.locator("../.."), "Go to Platforms");
    const nextBox = await getBox(text.locator("../.."), "Publish again to harbour");
    assert.ok(textBox && textBox.y + textBox.height <= firstBox.y, "the actions are below the text");
    assert.equal(firstBox.x, textBox.x, "the actions start where the text does");
    assert.equal(nextBox.x, firstBox.x + firstBox.width + 8);
    await resizeWindow(page, phone);

    for (const connectionId of [harbour, quay]) {
      const { credentialGeneration } = (await deps.platformStore.find(owner.studio.id, connectionId)) ?? {};
      await deps.platformStore.deleteCredential(connectionId, "needs_reconnect", credentialGeneration ?? 0);
    }
    const failedText = "Nothing was published. Reconnect harbour, then publish it again.";
    await assertOffers(failedPath, failedText, "Reconnect harbour");
    assert.equal(await page.getByRole("button", { name: "Publish again to harbour" }).count(), 0);
    await assertOffers(missedPath, "Reconnect quay, then choose a new time.", "Reconnect quay");
    assert.equal(await page.getByRole("button", { name: "Reschedule quay" }).count(), 0);
    await page.context().close();
  });

  test("on a phone, every account's tab can be reached, and a button shows that there are more (WEB-12)", async () => {
    await (await openAsNewOwner("posts")).context().close();
    for (const account of ["lighthouse-keeper", "north-pier", "old-town", "boat-yard"])
      await newConnection(fixture.service.deps, owner, account, "sandbox");
    const postId = await addPost("Tabs");
    const page = await openStudioPage(fixture, owner, `posts/${postId}`, {
      errors,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
      reducedMotion: "reduce",
    });
    const tabs = page.getByRole("tablist", { name: "Text and files per account" }).getByRole("tab");
    await tabs.nth(6).waitFor();
    const isInView = async () => {
      const box = await tabs.last().boundingBox();
      return box !== null && box.height >= 43.5 && box.x >= 0 && box.x + box.width <= phone.width;
    };
    assert.equal(await isInView(), false);
    const showMore = page.locator("button:has(.lucide-chevron-right):not([aria-label])");
    for (let clicks = 0; clicks < 5 && !(await isInView()); clicks++) {
      const box = await showMore.boundingBox();
      assert.ok(box && box.width >= 43.5 && box.height >= 43.5, "the button is large enough to tap");
      await showMore.click();
    }
    await showMore.waitFor({ state: "detached" });
    await tabs.last().click();
    await tabs
      .last()
      .and(page.getByRole("tab", { selected: true }))
      .waitFor();
    await waitUntil(isInView, { description: "the selected tab is in view" });
    const stripEnd = phone.width - 40; // where the button is, under which the row fades
    const waitUntilClear = (tab: number) =>
      waitUntil(
        async () => {
          const box = await tabs.nth(tab).boundingBox();
          return box !== null && box.x >= 40 && box.x + box.width <= stripEnd;
        },
        { description: "the fade does not cover the tab" },
      );
    await tabs.nth(3).press("ArrowLeft");
    await waitUntilClear(2);
    assert.equal((await tabs.nth(2).getByText(/\d \//).boundingBox())?.width, 1, "the count is only below the text");
    const label = (await tabs.nth(3).getAttribute("title"))?.split(/\s·/)[0] ?? "";
    await page.getByRole("button", { name: `Text and preview for ${label}` }).tap();
    await tabs
      .nth(3)
      .and(page.getByRole("tab", { selected: true }))
      .waitFor();
    await waitUntilClear(3);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await page.context().close();
  });

  test("lists, the palette and the post page show whether a post is published, scheduled or failed (WEB-12)", async () => {
    await (await openAsNewOwner("posts")).context().close();
    const plan = { ids: [connectionIds[0]], localTime: `${day}T10:00` };
    const postId = await addPost("Mussels", plan);
    await changePublications(postId, { state: "published", publishedAt: Date.now() });
    const failedId = await addPost("Buoy", plan);
    await failPublications(failedId);
    const archivedId = await addPost("Oars", plan);
    await changePublications(archivedId, { state: "published", publishedAt: Date.now() });
    await updatePost(fixture.service.deps, owner, { postId: archivedId, status: "archived" });
    await addPost("Rope", plan);
    await addPost("Anchor");
    const states = { Mussels: "Published", Buoy: "Failed", Rope: "Scheduled", Oars: "Archived", Anchor: "Draft" };
    const page = await openStudioPage(fixture, owner, "posts?archived=true", { errors });
    const getItem = (title: string) =>
      page.getByRole("listitem").filter({ has: page.getByRole("link", { name: title, exact: true }) });
    for (const [title, state] of Object.entries(states)) {
      await getItem(title).getByText(state, { exact: true }).first().waitFor();
      assert.equal(await getItem(title).getByText("Draft").count(), state === "Draft" ? 1 : 0, title);
    }
    await getItem("Rope").getByText("Sandbox", { exact: true }).waitFor();
    assert.equal(await getItem("Rope").getByText("Scheduled").count(), 1, "the account does not repeat the state");
    assert.deepEqual(await findViolations(page), []);

    await page.getByRole("radio", { name: "Board" }).click();
    await page.getByRole("heading", { name: /^Drafts/ }).waitFor();
    await getItem("Buoy").locator(":scope > :first-child").getByText("Failed", { exact: true }).waitFor();
    for (const title of ["Mussels", "Rope"] as const) {
      await getItem(title).waitFor();
      const state = getItem(title).locator("svg + span", { hasText: states[title] });
      assert.equal(await state.count(), 0, `the column of ${title} says its state`);
    }
    assert.deepEqual(await findViolations(page), []);

    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("dialog", { name: "Search and commands" }).locator("input:focus").waitFor();
    await page.keyboard.type("Mussels");
    await page
      .getByRole("option", { name: "Mussels" })
      .first()
      .getByText(/^Published · /)
      .click();
    const header = page.getByRole("button", { name: "Actions for this post" }).locator("../..");
    await header.getByText("Published", { exact: true }).waitFor();
    assert.equal(await header.getByRole("combobox").count(), 0, "Draft beside Published would contradict it");
    assert.equal(await page.getByText("Draft").count(), 0);
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitemradio", { name: "Draft", checked: true }).waitFor();
    await page.getByRole("menuitemradio", { name: "Ready" }).click();
    await waitUntil(async () => (await getPost(fixture.service.deps, owner, { postId })).status === "ready", {
      description: "the status of a published post changes",
    });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${failedId}`);
    await header.getByText("Failed", { exact: true }).waitFor();
    assert.equal(await header.getByRole("combobox").count(), 0, "Draft beside Failed would contradict it");
    await page.context().close();
  });

  test("lists show when a post was created, as they are sorted by that time (WEB-12)", async () => {
    const { deps } = fixture.service;
    const page = await openAsNewOwner("posts");
    const postId = await addPost("Mussels");
    await page.waitForTimeout(10);
    await updatePost(deps, owner, { postId, body: "The mussels are out." });
    const { createdAt, updatedAt } = await getPost(deps, owner, { postId });
    assert.notEqual(createdAt, updatedAt);
    for (const view of ["List", "Board"]) {
      await page.getByRole("radio", { name: view }).click();
      await page.getByRole("radio", { name: view, checked: true }).waitFor();
      const label = page.getByRole("listitem").getByText("Created", { exact: true });
      assert.equal(await label.locator("..").locator("time").getAttribute("datetime"), createdAt);
    }
    await page.context().close();
  });

  test("calendar cards show two lines of a title, and a different icon for each state; the list and the board show state and time once (WEB-12)", async () => {
    const title = "The fog came in over the harbour before breakfast and stayed until noon";
    const page = await openAsNewOwner(`posts?view=calendar&date=${day}`);
    const plan = { ids: [connectionIds[0]], localTime: `${day}T10:00` };
    const states = ["missed", "unconfirmed", "failed"] as const;
    for (const state of states) await changePublications(await addPost(title, plan), { state });
    const icons = new Set<string>();
    for (const state of states) {
      const card = page.getByRole("button", { name: new RegExp(`${title}.*, ${state}, harbour`, "i") });
      icons.add(await card.locator("svg").innerHTML());
      const box = await card.getByText(title).boundingBox();
      assert.equal(box?.height, 32, "two lines of 16 px");
    }
    assert.equal(icons.size, states.length);
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" });
    await unscheduled.getByText("Failed", { exact: true }).waitFor();
    assert.equal(await unscheduled.getByText("Missed").count(), 0, "a missed post is only on its day");
    assert.deepEqual(await findViolations(page), []);

    const nextDay = addDays(day, 1);
    for (const hour of ["08", "09", "10", "11", "12"])
      await addPost(`${title} ${hour}`, { ...plan, localTime: `${nextDay}T${hour}:00` });
    await changePublications(await addPost("Wait", { ...plan, localTime: `${nextDay}T20:00` }), { state: "proposed" });
    const cards = page
      .getByRole("cell")
      .filter({ hasText: formatLongDay(nextDay) })
      .getByRole("listitem");
    await cards.filter({ hasText: /^Wait20:00/ }).waitFor();
    await page.getByRole("button", { name: `Show 2 more on ${formatLongDay(nextDay)}` }).waitFor();
    const readTimes = async () => (await cards.allTextContents()).map((text) => /\d\d:00/.exec(text)?.[0]).join(" ");
    assert.equal(await readTimes(), "08:00 09:00 10:00 20:00", "what waits for approval is always shown");
    const firstCard = cards.first();
    assert.equal((await firstCard.getByText(title).boundingBox())?.height, 32, "two lines of 16 px on a full day");
    assert.equal((await firstCard.boundingBox())?.height, 58, "only one line below the title");
    assert.deepEqual(await findViolations(page), []);

    await page.getByRole("radio", { name: "Week" }).click();
    // Until then, the cell of the month matches too.
    await page.getByRole("radio", { name: "Week", checked: true }).waitFor();
    const cell = page.getByRole("cell").filter({ hasText: title }).filter({ hasText: "Missed" });
    await cell.waitFor();
    const cellBox = await cell.boundingBox();
    assert.ok(cellBox && cellBox.height < 220, `three cards are compact in an hour: ${cellBox?.height} px`);
    await page.getByRole("radio", { name: "List" }).click();
    const rows = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    const titleBox = await rows.getByRole("heading", { name: title, exact: true }).first().boundingBox();
    assert.ok(titleBox && titleBox.width > 300, `the title has most of the room: ${titleBox?.width} px`);
    await rows
      .filter({ hasText: /Was due \d+ \w+, 10:00/ })
      .nth(states.length - 1)
      .waitFor();
    await page.getByText("Newest created first", { exact: true }).waitFor();

    await page.getByRole("radio", { name: "Board" }).click();
    const columns = page.getByRole("region", { name: / posts?$/ });
    for (const label of ["Missed", "Unconfirmed", "Failed", "Waiting for approval"]) {
      const boardCard = columns.getByRole("listitem").filter({ hasText: label });
      // Throws if a card says it twice.
      const stateBox = await boardCard.getByText(label).boundingBox();
      const headingBox = await boardCard.getByRole("heading").boundingBox();
      assert.ok(stateBox && headingBox && stateBox.y < headingBox.y, `${label} is above the title`);
    }
    await page.context().close();
  });

  test("says what an edit of a scheduled post does (PUB-4, WEB-12)", async () => {
    const { deps } = fixture.service;
    await (await openAsNewOwner("posts")).context().close();
    const postId = await addPost("Mussels", { ids: [connectionIds[0]], localTime: `${day}T10:00` });
    const page = await openStudioPage(fixture, owner, `posts/${postId}`, { errors });
    await page.getByText(/^Scheduled for .*, 10:00\. Changes until then will be published\.$/).waitFor();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Two tides later.");
    await waitUntil(async () => (await getPost(deps, owner, { postId })).body === "Two tides later.");
    assert.deepEqual(await readPlans(postId), [`harbour scheduled ${day}T10:00`]);
    assert.deepEqual(await findViolations(page), []);
    await page.context().close();

    await deps.studios.update(owner.studio.id, { approval: "everyone" });
    const member = await newMember(deps, owner, "member");
    const memberPage = await openStudioPage(fixture, member, `posts/${postId}`, { errors });
    const hint = memberPage.getByText(/^Scheduled for .* an owner or admin needs to approve it again\.$/);
    await hint.waitFor();
    await memberPage.getByRole("textbox", { name: "Text", exact: true }).fill("Three tides later.");
    await hint.waitFor({ state: "detached" });
    assert.deepEqual(await readPlans(postId), [`harbour proposed ${day}T10:00`]);
    await memberPage.context().close();
  });

  test("warns that a planned post will fail if an edit breaks the rules of the platform (PUB-4, WEB-12)", async () => {
    const { deps } = fixture.service;
    await (await openAsNewOwner("posts")).context().close();
    const postId = await addPost("Mussels", { ids: [connectionIds[0]], localTime: `${day}T10:00` });
    await updatePost(deps, owner, { postId, body: "Tide! ".repeat(2000).trim() });
    const page = await openStudioPage(fixture, owner, `posts/${postId}`, { errors });
    const warning = page.getByText(
      /^Won’t be published to harbour as it is: The text has 11,999 characters; the platform allows up to \d+\. Fix it before .*, 10:00\.$/,
    );
    await warning.waitFor();
    assert.equal(await page.getByText("Changes until then will be published.").count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await page.waitForFunction("document.documentElement.scrollWidth === innerWidth");
    await page.getByRole("button", { name: "Reschedule harbour" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^Won’t be published as it is: .* Fix the post before the new time\.$/).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("link", { name: "harbour", exact: true }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await warning.waitFor();
    assert.equal(await page.getByText("It will be published at the scheduled time.").count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await updatePost(deps, owner, { postId, body: "Two tides later." });
    await page.getByText("It will be published at the scheduled time.").waitFor();
    await warning.waitFor({ state: "detached" });
    await page.context().close();
  });

  test("cancels what is scheduled before a post moves to the trash, and keeps a post that might already be public (WEB-10)", async () => {
    const page = await openAsNewOwner("posts");
    const postId = await addPost("Mussels", { localTime: `${day}T10:00` });
    const unconfirmedId = await addPost("Rope", { ids: [connectionIds[0]], localTime: `${day}T10:00` });
    await changePublications(unconfirmedId, { state: "unconfirmed" });
    const moveToTrash = async (button: string) => {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("menuitem", { name: "Move to trash" }).click();
    };
    await page.reload();
    await page.getByRole("link", { name: "Rope" }).click();
    await moveToTrash("Actions for this post");
    await page.getByText("Confirm first whether this post was published to harbour").first().waitFor();
    assert.match(page.url(), new RegExp(`${unconfirmedId}$`));

    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${postId}`);
    await moveToTrash("Actions for this post");
    const dialog = page.getByRole("dialog", { name: "Move “Mussels” to the trash?" });
    await dialog.getByText("This cancels what is planned:").waitFor();
    for (const account of ["harbour", "quay"])
      await dialog.getByText(new RegExp(`^${account}\\s· Sandbox: \\w+,? 15 \\w+, 10:00$`)).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    assert.deepEqual((await readPlans(postId)).toSorted(), [
      `harbour scheduled ${day}T10:00`,
      `quay scheduled ${day}T10:00`,
    ]);
    await moveToTrash("Actions for this post");
    await dialog.getByRole("button", { name: "Cancel publications and move to trash" }).click();
    await page.getByText("“Mussels” moved to the trash.").first().waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Restored “Mussels”.").first().waitFor(); // until then, the list can be outdated
    await page.getByRole("link", { name: "Mussels" }).waitFor();
    assert.ok((await readPlans(postId)).every((plan) => plan.includes("canceled")));
    await page.context().close();
  });
});
