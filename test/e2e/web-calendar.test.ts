import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addMonths, formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { addDays } from "#portable/zoned-time.ts";
import { findViolations } from "../support/axe.ts";
import { getBox } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForAnnouncement, waitForPlace } from "../support/drag-announcements.ts";
import { refetch, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { phone, plannedDay, today, useStudioPages } from "../support/studio-pages.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { waitForData } from "../support/web-fixture.ts";

const day = plannedDay;
const nextDay = addDays(day, 1);
const dayLabel = formatLongDay(day);

describe("the calendar in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });

  /** Opens the calendar with the data of the days and of the list beside them, which moves the days. */
  async function openCalendar(query = "", options: Parameters<typeof pages.open>[1] = {}): Promise<Page> {
    const page = await pages.open(`posts?view=calendar&date=${day}${query}`, options);
    await waitForData(page);
    await waitForPaint(page);
    return page;
  }
  const getCard = (page: Page, title: string) => page.getByRole("button", { name: new RegExp(`^${title}\\b`) });
  /** Moves a post by keyboard over these days or hours, and drops it on the last one. */
  async function move(page: Page, title: string, key: string, ...places: readonly string[]): Promise<void> {
    await getCard(page, title).press("Space");
    for (const [index, place] of places.entries()) {
      if (index > 0) await page.keyboard.press(key);
      await waitForPlace(page, place);
    }
    await page.keyboard.press("Space");
  }
  const connectQuay = async () =>
    void pages.connectionIds.push(await newConnection(pages.deps, pages.owner, "quay", "sandbox"));
  const waitForPlans = (postId: string, ...plans: string[]) =>
    waitUntil(async () => (await pages.readPlans(postId)).join() === plans.join(), { description: plans.join() });

  test("creates a post on a day or hour, by keyboard and on a phone, and offers its time (WEB-12)", async () => {
    const page = await openCalendar();
    const getButton = (label: string) => page.getByRole("button", { name: `New post on ${label}`, exact: true });
    assert.equal(await page.locator("[data-new-post][tabindex='0']").count(), 1);
    await getButton(dayLabel).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog", { name: /^New post for .*, 09:00$/ })
      .getByLabel("Title")
      .fill("Low tide");
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("button", { name: "Create draft" }).click();
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("The mussels are out.");
    await page.getByRole("button", { name: /^Schedule for / }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Schedule" }).click();
    await page.getByText(/^Intended for /).waitFor({ state: "detached" });
    const postId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${addDays(day, 8)}T09:00`]);

    await pages.goTo(page, `posts?view=calendar&range=week&date=${day}`);
    await getButton(`${dayLabel}, 14:00`).waitFor();
    for (const [hour, name] of [["00:00", "earlier hours"] as const, ["23:00", "later hours"] as const]) {
      assert.equal(await getButton(`${dayLabel}, ${hour}`).count(), 0);
      await page.getByRole("button", { name: `Show ${name}` }).click();
      await getButton(`${dayLabel}, ${hour}`).click();
      const dialog = page.getByRole("dialog", { name: new RegExp(`, ${hour}$`) });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: `Hide ${name}` }).waitFor();
    }
    await pages.goTo(page, `posts?view=calendar&range=week&date=${addDays(today, -7)}`);
    await page.getByRole("table").waitFor();
    assert.equal(await page.locator("[data-new-post]").count(), 0, "the past has no buttons");

    await page.setViewportSize(phone);
    await pages.goTo(page, `posts?view=calendar&date=${day}`);
    await getButton(formatLongDay(addDays(day, 8))).click();
    const dialog = page.getByRole("dialog", { name: /^New post for / });
    await dialog.getByLabel("Title").fill("High tide");
    await page.keyboard.press("Enter");
    await page.getByText(/^Intended for /).waitFor();
    await page.getByRole("button", { name: "Clear the intended time" }).click();
    await page.getByText(/^Intended for /).waitFor({ state: "detached" });
    await page.waitForURL((url) => !url.searchParams.has("at"));
  });

  test("on a touch screen, a week shows one button for a new post per day, and cells can be tapped (WEB-12)", async () => {
    const page = await openCalendar("&range=week", { device: "tablet" });
    const label = `New post on ${dayLabel}`;
    await page.getByRole("columnheader").getByRole("button", { name: label }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).tap();
    const cell = page.getByRole("button", { name: `${label}, 14:00` });
    assert.equal(await cell.locator("svg").isVisible(), false);
    await cell.tap();
    await page.getByRole("dialog", { name: /14:00/ }).waitFor();
  });

  test("reschedules by keyboard and dialog, and undoes it (PUB-1, WEB-12)", async () => {
    const postId = await pages.planPost("Fog", { at: `${day}T10:00` });
    const page = await openCalendar();
    const cardOnDay = page
      .getByRole("cell")
      .filter({ hasText: dayLabel })
      .getByRole("button", { name: /^Fog\b/ });
    const hold = Promise.withResolvers<void>();
    await page.route("**/reschedule", (route) => hold.promise.then(() => route.continue()));
    await move(page, "Fog", "ArrowDown", dayLabel, formatLongDay(addDays(day, 7)));
    await cardOnDay.waitFor({ state: "detached" });
    await refetch(page, /\/calendar\?/);
    assert.equal(await cardOnDay.count(), 0, "the card does not move back while its change is being saved");
    hold.resolve();
    await waitForPlans(postId, `harbour scheduled ${addDays(day, 7)}T10:00`);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await waitForPlans(postId, `harbour scheduled ${day}T10:00`);
    await cardOnDay.press("Enter");
    await page.getByRole("button", { name: "Reschedule" }).click();
    await page.getByLabel("Date and time").fill(`${nextDay}T11:30`);
    await page.getByRole("button", { name: "Save time" }).click();
    await waitForPlans(postId, `harbour scheduled ${nextDay}T11:30`);
  });

  test("days that are over accept no drop, and a time that has passed is rejected (PUB-1)", async () => {
    const postId = await pages.planPost("Fog", { at: `${day}T10:00` });
    const page = await openCalendar("", { user: await newMember(pages.deps, pages.owner, "admin") });
    await page.clock.setFixedTime(`${addDays(day, 14)}T00:00Z`);
    const [from, to] = [
      await getBox(getCard(page, "Fog")),
      await getBox(page.getByRole("cell").filter({ hasText: formatLongDay(addDays(day, 7)) })),
    ];
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 20, { steps: 4 });
    await waitForAnnouncement(page, /^Picked up Fog\.$/);
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 8 });
    await page.mouse.up();
    await waitForAnnouncement(page, /^Fog stays where it was\.$/);
    await page.clock.setFixedTime(`${addDays(day, 7)}T22:00Z`);
    await move(page, "Fog", "ArrowDown", formatLongDay(addDays(day, 7)));
    await page.getByText("That time is in the past.").first().waitFor();
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${day}T10:00`]);
  });

  test("moves a card to another hour of the week, and shows an agenda on a phone (WEB-12)", async () => {
    const postId = await pages.planPost("Fog", { at: `${day}T10:00` });
    const page = await openCalendar("&range=week");
    await move(page, "Fog", "ArrowDown", ...["10:00", "11:00", "12:00"].map((hour) => `${dayLabel}, ${hour}`));
    await waitForPlans(postId, `harbour scheduled ${day}T12:00`);
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await waitForFit(page);
    const agenda = page.getByRole("region").filter({ has: page.getByRole("heading", { level: 3 }) });
    await agenda.getByText("harbour · Sandbox").waitFor();
    assert.equal(await page.getByRole("table").count(), 0);
    assert.deepEqual(await findViolations(page), []);
  });

  test("returns a card to its old time if the server rejects the change, and names the accounts whose time changed", async () => {
    await connectQuay();
    const postId = await pages.planPost("Fog", { at: `${day}T10:00` });
    const page = await openCalendar("&range=week");
    const problem = { code: "too_late", detail: "It has started.", hint: "Reload the page." };
    let acceptedCount = 0;
    await page.route("**/reschedule", (route) =>
      acceptedCount-- > 0 ? route.continue() : route.fulfill({ status: 409, json: problem }),
    );
    await move(page, "Fog", "ArrowDown", `${dayLabel}, 10:00`, `${dayLabel}, 11:00`);
    await page.getByText("It has started. Reload the page.", { exact: true }).first().waitFor();
    await page
      .getByRole("row", { name: /^10:00/ })
      .getByRole("button", { name: /^Fog\b/ })
      .waitFor();
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${day}T10:00`, `quay scheduled ${day}T10:00`]);
    acceptedCount = 1;
    await move(page, "Fog", "ArrowDown", `${dayLabel}, 10:00`, `${dayLabel}, 11:00`);
    const text = /moved to .* for (?:harbour|quay)\. Its other accounts keep their time\. It has started\. Reload/;
    await page.getByText(text).first().waitFor();
  });

  test("asks a member before a drag takes an approval away (PUB-3, WEB-10)", async () => {
    await pages.deps.studios.update(pages.owner.studio.id, { approval: "everyone" });
    const postId = await pages.planPost("Fog", { at: `${day}T10:00` });
    const page = await openCalendar("", { user: await newMember(pages.deps, pages.owner, "member") });
    const dialog = page.getByRole("dialog", { name: /^Move “Fog” to / });
    await move(page, "Fog", "ArrowRight", dayLabel, formatLongDay(nextDay));
    await dialog.getByText("It loses its approval").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${day}T10:00`]);
    await move(page, "Fog", "ArrowRight", dayLabel, formatLongDay(nextDay));
    await dialog.getByRole("button", { name: "Move" }).click();
    await page.getByText("It needs approval again.").first().waitFor();
    assert.deepEqual(await pages.readPlans(postId), [`harbour proposed ${nextDay}T10:00`]);
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0, "Undo can't restore the approval");
  });

  test("schedules an unscheduled post by mouse, keyboard and button, with accounts and time chosen (PUB-1, WEB-12)", async () => {
    const [ferryId, postId] = [await pages.addPost("Ferry"), await pages.addPost("Lighthouse")];
    const page = await openCalendar();
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" });
    const dialog = page.getByRole("dialog", { name: /^Schedule post (Lighthouse|Ferry)$/ });
    const time = dialog.getByLabel("Date and time");
    const row = unscheduled.getByRole("listitem").filter({ hasText: "Lighthouse" });
    const from = await getBox(row);
    const to = await getBox(page.getByRole("cell").filter({ hasText: formatLongDay(addDays(day, 2)) }));
    await page.mouse.move(from.x + 40, from.y + 12);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 40, to.y + 60, { steps: 8 });
    await waitForPlace(page, formatLongDay(addDays(day, 2)));
    await page.mouse.up();
    await dialog.getByLabel("harbour").and(page.locator(":checked")).waitFor();
    assert.equal(await time.inputValue(), `${addDays(day, 2)}T09:00`);
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await getCard(page, "Lighthouse").waitFor();
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${addDays(day, 2)}T09:00`]);
    await row.waitFor({ state: "detached" });

    const dragHint = unscheduled.getByText("Drag a post to a day, or choose a time with its calendar button.");
    const buttonHint = unscheduled.getByText("Choose a time for a post with its calendar button.");
    await page.getByRole("radio", { name: "Agenda" }).click();
    await buttonHint.waitFor();
    await page.getByRole("radio", { name: "Month" }).click();
    await dragHint.waitFor();
    const button = unscheduled.getByRole("button", { name: "Schedule Ferry" });
    await button.press("Enter");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await button.press("Space");
    const announcement = await waitForAnnouncement(page, /^[A-Z][a-z]+day,? \d+ \w+$/);
    const firstPlace = await announcement.textContent();
    await page.keyboard.press("ArrowLeft");
    await waitUntil(async () => (await announcement.textContent()) !== firstPlace, {
      description: "the post is over another day",
    });
    const place = await announcement.textContent();
    await page.keyboard.press("Space");
    assert.equal(formatLongDay((await time.inputValue()).slice(0, 10)), place);
    await page.keyboard.press("Escape");
    assert.deepEqual(await pages.readPlans(ferryId), []);
  });

  test("keeps the day that a post was dropped on while the user connects the first account (PUB-1, WEB-12)", async () => {
    pages.owner = await newStudio(pages.deps, pages.owner);
    await pages.addPost("Regatta");
    const page = await openCalendar();
    await page.getByRole("button", { name: "Schedule Regatta" }).press("Space");
    const place = await (await waitForAnnouncement(page, /^[A-Z][a-z]+day,? \d+ \w+$/)).textContent();
    await page.keyboard.press("Space");
    await page.getByRole("dialog").getByRole("link", { name: "Platforms page" }).click();
    await page.getByRole("link", { name: "Back to “Regatta”" }).click();
    await page.getByText(/^Intended for /).waitFor();
    const localTime = new URL(page.url()).searchParams.get("at") ?? "";
    assert.equal(formatLongDay(localTime.slice(0, 10)), place);
  });

  test("keeps each of several quick presses, and moves only the accounts that the filter shows (PUB-1, WEB-12)", async () => {
    await connectQuay();
    const bothId = await pages.planPost("Mussels", { at: `${day}T10:00` });
    await pages.planPost("Rope", { at: `${day}T11:00`, connectionIds: pages.connectionIds.slice(1) });
    const page = await openCalendar();
    const readSearch = (name: string) => new URL(page.url()).searchParams.get(name);
    // Faster than the page renders.
    await page.evaluate(`for (let i = 0; i < 3; i++) document.querySelector("[aria-label='Next month']").click()`);
    const laterDay = `${addMonths(day, 3).slice(0, 7)}-01`;
    await waitUntil(() => readSearch("date") === laterDay, { description: laterDay });
    await page.getByRole("button", { name: "Accounts" }).click();
    await page.getByRole("menuitemcheckbox", { name: "quay" }).waitFor();
    await page.evaluate(`document.querySelectorAll("[role=menuitemcheckbox]").forEach((item) => item.click())`);
    await waitUntil(() => readSearch("accounts")?.split(",").length === 2, { description: "both accounts" });
    assert.deepEqual(await findViolations(page), []);

    await pages.goTo(page, `posts?view=calendar&date=${day}&accounts=${pages.connectionIds[0]}`);
    const card = getCard(page, "Mussels");
    await card.getByText("harbour").first().waitFor();
    assert.equal(await getCard(page, "Rope").count(), 0);
    await card.press("Enter");
    await page.getByRole("button", { name: "Reschedule" }).click();
    await page.getByLabel("Date and time").fill(`${nextDay}T12:00`);
    await page.getByRole("button", { name: "Save time" }).click();
    await page.getByText("for harbour. Its other accounts keep their time.").first().waitFor();
    assert.deepEqual(await pages.readPlans(bothId), [
      `harbour scheduled ${nextDay}T12:00`,
      `quay scheduled ${day}T10:00`,
    ]);
    await page.getByRole("button", { name: "Accounts: harbour" }).click();
    await page.getByRole("menuitem", { name: "All accounts" }).click();
    await getCard(page, "Rope").waitFor();
    assert.equal(readSearch("accounts"), null);
  });

  test("search and tag filter the calendar and the posts without a request or a time (WEB-12)", async () => {
    await pages.planPost("Mussels at low tide", { at: `${day}T11:00` });
    await pages.addPost("Mussels for dinner", { tags: ["food"] });
    await pages.planPost("Mussels for lunch", { propose: true });
    await pages.addPost("Rope");
    const page = await openCalendar();
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" }).getByRole("list").getByRole("link");
    const card = page.getByRole("table").getByRole("listitem").filter({ hasText: "Mussels at low tide" });
    const search = page.getByRole("searchbox", { name: "Search posts" });
    await search.fill("mussels");
    await unscheduled.filter({ hasText: "Rope" }).waitFor({ state: "detached" });
    await card.waitFor();
    assert.deepEqual(await unscheduled.allTextContents(), ["DraftMussels for dinner"]);
    assert.match(page.url(), /q=mussels/);
    await pages.goTo(page, `posts?view=calendar&date=${day}&tag=food`);
    await unscheduled.filter({ hasText: "Mussels for dinner" }).waitFor();
    await page.getByText("Nothing in this month matches these filters.").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await card.waitFor();
    await search.fill("walrus");
    await page.getByText("Nothing in this month matches “walrus”.").waitFor();
    await page.getByRole("link", { name: "Clear search" }).click();
    await card.waitFor();
  });

  test("cards have a different icon for each state, and a full day shows those that wait for a person (WEB-12)", async () => {
    const title = "The fog came in over the harbour before breakfast and stayed until noon";
    const states = ["missed", "unconfirmed", "failed"] as const;
    for (const state of states)
      await pages.changePublications(await pages.planPost(title, { at: `${day}T10:00` }), { state });
    for (const hour of ["08", "09", "10", "11", "12"])
      await pages.planPost(`${title} ${hour}`, { at: `${nextDay}T${hour}:00` });
    await pages.planPost("Wait", { at: `${nextDay}T20:00`, propose: true });
    const page = await openCalendar();
    const icons = new Set<string>();
    for (const state of states) {
      const card = page.getByRole("button", { name: new RegExp(`${title}.*, ${state}, harbour`, "i") });
      icons.add(await card.locator("svg").innerHTML());
    }
    assert.equal(icons.size, states.length);
    const unscheduled = page.getByRole("complementary", { name: "Unscheduled" });
    await unscheduled.getByText("Failed", { exact: true }).waitFor();
    assert.equal(await unscheduled.getByText("Missed").count(), 0, "a missed post is only on its day");

    await page.getByRole("button", { name: `Show 2 more on ${formatLongDay(nextDay)}` }).waitFor();
    const cards = page
      .getByRole("cell")
      .filter({ hasText: formatLongDay(nextDay) })
      .getByRole("listitem");
    const times = (await cards.allTextContents()).map((text) => /\d\d:00/.exec(text)?.[0]).join(" ");
    assert.equal(times, "08:00 09:00 10:00 20:00", "what waits for approval is always shown");
    const [longTitle, shortTitle] = [
      await getBox(cards.first().getByText(title)),
      await getBox(cards.getByText("Wait", { exact: true })),
    ];
    assert.equal(longTitle.height, 2 * shortTitle.height, "a title has at most two lines");
    assert.deepEqual(await findViolations(page), []);
  });
});
