import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { resolveLocalTime, toLocalTime } from "../../web/src/publishing/zoned-time.ts";
import { addDays, addMonths, formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForAnnouncement, waitForPlace } from "../support/drag-announcements.ts";
import { waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, waitForData, type WebFixture } from "../support/web-fixture.ts";

const timezone = "Europe/Berlin";

describe("planning posts in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let connectionId: string;
  /** In the middle of next month. */
  const day = `${addMonths(toLocalTime(Date.now(), timezone).slice(0, 10), 1).slice(0, 7)}-15`;
  const errors: string[] = [];
  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    await deps.studios.update(owner.studio.id, { timezone, approval: "everyone" });
    connectionId = await newConnection(deps, owner, "harbour", "sandbox");
  });
  after(async () => {
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  async function addPost(title: string, publishing?: { at: string; propose?: boolean }): Promise<string> {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title, body: `${title}.` });
    if (publishing) await publishPost(deps, owner, { postId, connectionIds: [connectionId], ...publishing });
    return postId;
  }
  function toIso(localTime: string): string {
    const time = resolveLocalTime(localTime, timezone);
    assert.ok(time.kind === "valid");
    return time.iso;
  }
  const read = (postId: string) => getPost(fixture.service.deps, owner, { postId });
  async function open(user: Caller, query: string): Promise<Page> {
    const context = await fixture.openContext(user, { viewport: { width: 1440, height: 900 }, bypassCSP: true });
    context.setDefaultTimeout(60_000); // an axe run and drags take long while other tests run
    const page = await context.newPage();
    page.on("pageerror", (error) => void errors.push(error.message));
    await page.goto(`${fixture.service.base}/studios/${user.studio.id}/posts${query}`);
    return page;
  }
  /** Waits for the data of the calendar and of the list beside it, which moves the days. */
  async function waitForCalendar(page: Page): Promise<void> {
    await page.getByRole("table").waitFor();
    await waitForData(page);
    await waitForPaint(page);
  }
  /** The state of the post's last publication, and its time in the studio's time zone. */
  async function readPlan(postId: string): Promise<[state: string | undefined, localTime: string | undefined]> {
    const publication = (await read(postId)).publications?.[0];
    const scheduledFor = publication?.scheduledFor ?? undefined;
    return [publication?.state, scheduledFor && toLocalTime(Date.parse(scheduledFor), timezone)];
  }

  test("asks a member before a drag takes an approval away (PUB-3, WEB-10)", async () => {
    const member = await newMember(fixture.service.deps, owner, "member");
    const postId = await addPost("Fog", { at: toIso(`${day}T10:00`) });
    assert.deepEqual(await readPlan(postId), ["scheduled", `${day}T10:00`]);
    const page = await open(member, `?view=calendar&date=${day}`);
    await waitForCalendar(page);
    const drag = async () => {
      await page.getByRole("button", { name: /^Fog\b/ }).press("Space");
      await waitForPlace(page, formatLongDay(day));
      await page.keyboard.press("ArrowRight");
      await waitForPlace(page, formatLongDay(addDays(day, 1)));
      await page.keyboard.press("Space");
    };
    const dialog = page.getByRole("dialog", { name: /^Move “Fog” to / });
    await drag();
    await dialog.getByText("It loses its approval").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await readPlan(postId), ["scheduled", `${day}T10:00`]);
    await drag();
    await dialog.getByRole("button", { name: "Move" }).click();
    await page.getByText("It needs approval again.").first().waitFor();
    assert.deepEqual(await readPlan(postId), ["proposed", `${addDays(day, 1)}T10:00`]);
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0, "Undo can't restore the approval");
    await page.context().close();
  });

  test("asks before archiving or deleting cancels a request that Undo can't restore (PUB-3, WEB-10)", async () => {
    const [listedId, openedId] = [
      await addPost("Boats", { at: toIso(`${day}T10:00`), propose: true }),
      await addPost("Gulls", { at: toIso(`${day}T10:00`), propose: true }),
    ];
    const page = await open(owner, "");
    const archive = async () => {
      await page.getByRole("button", { name: "Actions for Boats" }).click();
      await page.getByRole("menuitem", { name: "Archive" }).click();
    };
    await archive();
    const dialog = page.getByRole("dialog", { name: "Archive “Boats”?" });
    await dialog.getByText("This cancels what waits for approval or a new time:").waitFor();
    await dialog.getByText(/^harbour\s· Sandbox: .*, 10:00$/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await readPlan(listedId), ["proposed", `${day}T10:00`]);
    await archive();
    await dialog.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("link", { name: "Boats" }).waitFor({ state: "detached" });
    // The list hides the post before the server responds.
    await waitUntil(async () => (await readPlan(listedId))[0] === "canceled", { description: "it is canceled" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    const row = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Boats", exact: true }) });
    // Until the list has loaded again, it shows the request.
    await row.getByText("Draft", { exact: true }).first().waitFor();

    // No request is left that archiving would cancel.
    await archive();
    await waitUntil(async () => (await read(listedId)).status === "archived", { description: "it is archived" });

    await page.getByRole("checkbox", { name: "Select Gulls" }).check();
    await page.getByRole("button", { name: "Move to trash" }).click();
    await page
      .getByRole("dialog", { name: "Move “Gulls” to the trash?" })
      .getByRole("button", { name: "Cancel" })
      .click();

    await page.getByRole("link", { name: "Gulls" }).click();
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Move to trash" }).click();
    await page
      .getByRole("dialog", { name: "Move “Gulls” to the trash?" })
      .getByRole("button", { name: "Cancel" })
      .click();
    assert.equal((await readPlan(openedId))[0], "proposed");
    await page.context().close();
  });

  test("a scheduled post offers to reschedule it from the list, not to schedule it or mark it ready (PUB-1, WEB-12)", async () => {
    const postId = await addPost("Lanterns", { at: toIso(`${day}T10:00`) });
    const page = await open(owner, "");
    await page.getByRole("button", { name: "Actions for Lanterns" }).click();
    const reschedule = page.getByRole("menuitem", { name: "Reschedule…" });
    await reschedule.waitFor();
    assert.deepEqual(await page.getByRole("menuitem").allTextContents(), [
      "Open",
      "Copy link",
      "Reschedule…",
      "Duplicate",
      "Archive",
      "Move to trash",
    ]);
    await reschedule.click();
    const dialog = page.getByRole("dialog", { name: "Reschedule “Lanterns”" });
    const time = dialog.getByLabel("Date and time");
    assert.equal(await time.inputValue(), `${day}T10:00`);
    await time.fill(`${addDays(day, 1)}T11:30`);
    await dialog.getByRole("button", { name: "Save time" }).click();
    await page.getByText(/^“Lanterns” moved to /).waitFor();
    assert.deepEqual(await readPlan(postId), ["scheduled", `${addDays(day, 1)}T11:30`]);
    await page.context().close();
  });

  test("schedules an unscheduled post by mouse, keyboard and button, with accounts and time chosen (PUB-1, WEB-12)", async () => {
    const postId = await addPost("Lighthouse");
    const secondPostId = await addPost("Ferry");
    const page = await open(owner, `?view=calendar&date=${day}`);
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" });
    const dialog = page.getByRole("dialog", { name: /^Schedule post (Lighthouse|Ferry)$/ });
    const readForm = async () => [
      await dialog.getByLabel("harbour").isChecked(),
      await dialog.getByLabel("Date and time").inputValue(),
    ];
    const row = unscheduled.getByRole("listitem").filter({ hasText: "Lighthouse" });
    const cell = page.getByRole("cell").filter({ hasText: formatLongDay(addDays(day, 2)) });
    await waitForCalendar(page);
    const [from, to] = [await row.boundingBox(), await cell.boundingBox()];
    assert.ok(from && to);
    await page.mouse.move(from.x + 40, from.y + 12);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 8 });
    await waitForPlace(page, formatLongDay(addDays(day, 2)));
    await page.mouse.up();
    await dialog.waitFor();
    assert.deepEqual(await readForm(), [true, `${addDays(day, 2)}T09:00`]);
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await page.getByRole("button", { name: /^Lighthouse\b/ }).waitFor();
    assert.deepEqual(await readPlan(postId), ["scheduled", `${addDays(day, 2)}T09:00`]);
    await row.waitFor({ state: "detached" });

    await page.getByRole("radio", { name: "Agenda" }).click();
    await unscheduled.getByText("Choose a time for a post with its calendar button.").waitFor();
    await page.getByRole("radio", { name: "Month" }).click();
    const dragHint = unscheduled.getByText("Drag a post to a day, or choose a time with its calendar button.");
    await dragHint.waitFor();
    await page.setViewportSize({ width: 1024, height: 900 });
    await unscheduled.getByText("Choose a time for a post with its calendar button.").waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await dragHint.waitFor();
    const button = unscheduled.getByRole("button", { name: "Schedule Ferry" });
    await button.press("Enter");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await button.press("Space");
    const lastAnnouncement = await waitForAnnouncement(page, /^[A-Z][a-z]+day,? \d+ \w+$/);
    const firstPlace = await lastAnnouncement.textContent();
    await page.keyboard.press("ArrowLeft");
    await waitUntil(async () => (await lastAnnouncement.textContent()) !== firstPlace, {
      description: "the post is over another day",
    });
    const place = await lastAnnouncement.textContent();
    await page.keyboard.press("Space");
    await dialog.waitFor();
    const [, localTime] = await readForm();
    assert.equal(formatLongDay(String(localTime).slice(0, 10)), place);
    await page.keyboard.press("Escape");
    assert.deepEqual(await readPlan(secondPostId), [undefined, undefined]);
    await page.context().close();
  });

  test("keeps the day that a post was dropped on while the user connects the first account (PUB-1, WEB-12)", async () => {
    const newOwner = await newStudio(fixture.service.deps);
    await createPost(fixture.service.deps, newOwner, { title: "Regatta", body: "Sails." });
    const page = await open(newOwner, `?view=calendar&date=${day}`);
    await page.getByRole("button", { name: "Schedule Regatta" }).waitFor();
    await waitForCalendar(page);
    await page.getByRole("button", { name: "Schedule Regatta" }).press("Space");
    const announcement = await waitForAnnouncement(page, /^[A-Z][a-z]+day,? \d+ \w+$/);
    const place = await announcement.textContent();
    await page.keyboard.press("Space");
    await page.getByRole("dialog").getByRole("link", { name: "Platforms page" }).click();
    await page.getByRole("link", { name: "Back to “Regatta”" }).click();
    await page.getByText(/^Intended for /).waitFor();
    const localTime = new URL(page.url()).searchParams.get("at") ?? "";
    assert.equal(formatLongDay(localTime.slice(0, 10)), place);
    await page.context().close();
  });

  test("a request without a time is scheduled in the list, and not unscheduled in the calendar (WEB-12)", async () => {
    const postId = await addPost("Buoy");
    await addPost("Anchor");
    await publishPost(fixture.service.deps, owner, { postId, connectionIds: [connectionId], propose: true });
    const page = await open(owner, "?status=scheduled");
    await page.getByRole("link", { name: "Buoy" }).waitFor();
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts?view=calendar&date=${day}`);
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" });
    await unscheduled.getByRole("link", { name: "Anchor" }).waitFor();
    assert.equal(await unscheduled.getByRole("link", { name: "Buoy" }).count(), 0);
    await page.context().close();
  });

  test("keeps every one of several quick presses in the calendar (WEB-12)", async () => {
    const otherId = await newConnection(fixture.service.deps, owner, "lagoon", "sandbox");
    const page = await open(owner, `?view=calendar&date=${day}`);
    const readSearch = (name: string) => new URL(page.url()).searchParams.get(name);
    await page.getByRole("button", { name: "Next month" }).waitFor();
    // Faster than the page renders.
    await page.evaluate(`for (let i = 0; i < 3; i++) document.querySelector("[aria-label='Next month']").click()`);
    const expectedDate = `${addMonths(day, 3).slice(0, 7)}-01`;
    await waitUntil(async () => readSearch("date") === expectedDate, { description: expectedDate });
    await page.getByRole("button", { name: "Accounts" }).click();
    await page.getByRole("menuitemcheckbox", { name: "lagoon" }).waitFor();
    await page.evaluate(`document.querySelectorAll("[role=menuitemcheckbox]").forEach((item) => item.click())`);
    await page.getByRole("menuitemcheckbox", { checked: true }).nth(1).waitFor();
    const expectedIds = [connectionId, otherId].toSorted().join();
    await waitUntil(() => readSearch("accounts")?.split(",").toSorted().join() === expectedIds, {
      description: "both accounts are in the URL",
    });
    await page.context().close();
  });

  test("search, tag and author filter the calendar and the unscheduled posts (WEB-12)", async () => {
    const { deps } = fixture.service;
    const plannedPostId = await addPost("Mussels at low tide", { at: toIso(`${day}T11:00`) });
    await updatePost(deps, owner, { postId: await addPost("Mussels for dinner"), tags: ["food"] });
    await addPost("Rope");
    const page = await open(owner, `?view=calendar&date=${day}`);
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" }).getByRole("list");
    const cards = page.getByRole("table").getByRole("listitem").getByRole("button");
    await unscheduled.getByRole("link", { name: "Rope" }).waitFor();
    await page.getByRole("searchbox", { name: "Search posts" }).fill("mussels");
    await unscheduled.getByRole("link", { name: "Rope" }).waitFor({ state: "detached" });
    await cards.filter({ hasText: "Mussels at low tide" }).waitFor();
    await unscheduled.getByRole("link", { name: "Mussels for dinner" }).waitFor();
    assert.equal(await cards.count(), 1);
    assert.equal(await unscheduled.getByRole("link").count(), 1);
    assert.match(page.url(), /q=mussels/);

    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts?view=calendar&date=${day}&tag=food`);
    await unscheduled.getByRole("link", { name: "Mussels for dinner" }).waitFor();
    await page.getByText("Nothing in this month matches these filters.").waitFor();
    assert.equal(await unscheduled.getByRole("link").count(), 1);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await cards.filter({ hasText: "Mussels at low tide" }).waitFor();
    await page.getByRole("searchbox", { name: "Search posts" }).fill("walrus");
    await page.getByText("Nothing in this month matches “walrus”.").waitFor();
    await page.getByRole("link", { name: "Clear search" }).click();
    await cards.filter({ hasText: "Mussels at low tide" }).waitFor();
    assert.equal((await readPlan(plannedPostId))[0], "scheduled");
    await page.context().close();
  });
});
