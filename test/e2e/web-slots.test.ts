import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { setSlots } from "#domain/publishing/slots.ts";
import { toLocalTime } from "#portable/zoned-time.ts";
import { formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { findViolations } from "../support/axe.ts";
import { getBox } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForPlace } from "../support/drag-announcements.ts";
import { phone, plannedDay, timezone, useStudioPages } from "../support/studio-pages.ts";
import { waitUntil } from "../support/wait-until.ts";
import { waitForData } from "../support/web-fixture.ts";

const weekday = new Date(plannedDay).getUTCDay() || 7;

describe("slots, the calendar feed and results in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });

  test("slots are added in the settings, and a post is scheduled at the next free one (SLOT-1, SLOT-2)", async () => {
    const { id: postId } = await createPost(pages.deps, pages.owner, { title: "Fog", body: "Fog" });
    const page = await pages.open("settings");
    await page.getByLabel("Weekday").selectOption("Thursday");
    await page.getByLabel("Time", { exact: true }).fill("07:45");
    await page.getByRole("button", { name: "Add slot" }).click();
    await page.getByRole("button", { name: "Remove Thursday 07:45" }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await pages.goTo(page, `posts/${postId}`);
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog", { name: "Schedule post Fog" });
    await dialog.getByRole("radio", { name: "Next free slot" }).check();
    await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
    await page
      .getByText(/^Scheduled for Thu, .* 07:45/)
      .first()
      .waitFor();
    const [publication] = await pages.deps.publications.listByPost(postId, ["scheduled"]);
    assert.match(toLocalTime(publication?.scheduledFor ?? 0, timezone), /T07:45$/);

    await pages.goTo(page, "settings");
    await page.getByRole("button", { name: "Remove Thursday 07:45" }).click();
    await page.getByRole("button", { name: "Remove Thursday 07:45" }).waitFor({ state: "detached" });
  });

  const setTimes = (...times: readonly string[]) =>
    setSlots(pages.deps, pages.owner, {
      slots: times.map((time) => ({ connectionId: pages.connectionIds[0] ?? "", weekday, time })),
    });
  const waitForPlan = (postId: string, plan: string) =>
    waitUntil(async () => (await pages.readPlans(postId)).join() === plan, { description: plan });

  test("a post that is dropped on a free slot of the calendar is scheduled there, and so is one that is chosen by keyboard (SLOT-5)", async () => {
    await setTimes("07:45", "18:20");
    const [fogId, gullsId] = [await pages.addPost("Fog"), await pages.addPost("Gulls")];
    const page = await pages.open(`posts?view=calendar&date=${plannedDay}`);
    await waitForData(page);
    const getSlot = (time: string) =>
      page.getByRole("button", { name: `Free slot on ${formatLongDay(plannedDay)}, ${time} harbour` });
    await getSlot("18:20").waitFor();
    assert.deepEqual(await findViolations(page), []);
    const row = page
      .getByRole("complementary", { name: "Unscheduled" })
      .getByRole("listitem")
      .filter({ hasText: "Fog" });
    const [from, to] = [await getBox(row), await getBox(getSlot("18:20"))];
    await page.mouse.move(from.x + 40, from.y + 12);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + 40, to.y + to.height / 2, { steps: 8 });
    await waitForPlace(page, `Free slot on ${formatLongDay(plannedDay)}, 18:20 harbour`);
    await page.mouse.up();
    await page.getByRole("dialog", { name: "Schedule post Fog" }).getByRole("button", { name: "Schedule" }).click();
    await waitForPlan(fogId, `harbour scheduled ${plannedDay}T18:20`);
    await getSlot("18:20").waitFor({ state: "detached" });

    await getSlot("07:45").press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Free slot: / });
    await dialog.getByRole("button", { name: "Gulls" }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Gulls" }).press("Enter");
    const scheduleDialog = page.getByRole("dialog", { name: "Schedule post Gulls" });
    await scheduleDialog.getByLabel("harbour").and(page.locator(":checked")).waitFor();
    await scheduleDialog.getByRole("button", { name: "Schedule" }).press("Enter");
    await waitForPlan(gullsId, `harbour scheduled ${plannedDay}T07:45`);
    await setSlots(pages.deps, pages.owner, { slots: [] });
  });

  test("several posts get the next free slots in the order in which they were selected, and Undo cancels that (SLOT-6)", async () => {
    await setTimes("07:45", "18:20");
    const [firstId, secondId] = [await pages.addPost("First"), await pages.addPost("Second")];
    const page = await pages.open("posts");
    const schedule = async (...titles: readonly string[]) => {
      for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}` }).check();
      await page.getByRole("button", { name: "Next free slots…" }).click();
      const dialog = page.getByRole("dialog", { name: "Next free slots for 2 posts" });
      await dialog.getByLabel("harbour").and(page.locator(":checked")).waitFor();
      assert.deepEqual(await dialog.locator("form ol > li").allInnerTexts(), titles);
      assert.deepEqual(await findViolations(page), []);
      await dialog.getByRole("button", { name: "Schedule" }).click();
      await page.getByText("Scheduled 2 posts at the next free slots.").first().waitFor();
      await waitUntil(async () => (await readTimes()).every((plan) => plan.includes("scheduled")), {
        description: "both are scheduled",
      });
    };
    const readTimes = async () =>
      (await Promise.all([firstId, secondId].map(async (id) => (await pages.readPlans(id))[0] ?? ""))).map((plan) =>
        plan.replace(/ [\d-]+T/, " "),
      );
    await schedule("First", "Second");
    const [earlier, later] = await readTimes();
    await page.getByRole("button", { name: "Undo" }).click();
    await waitUntil(async () => (await pages.readPlans(secondId)).every((plan) => plan.includes("canceled")), {
      description: "both are canceled",
    });
    await waitForData(page);
    await page.getByRole("button", { name: "Clear selection" }).click();
    await schedule("Second", "First");
    const again = await readTimes();
    assert.deepEqual([earlier, later].map((plan) => plan?.slice(-5)).toSorted(), ["07:45", "18:20"]);
    assert.deepEqual(again.toReversed(), [earlier, later]);
  });

  test("a calendar feed is created, replaced and revoked (FEED-1)", async () => {
    const page = await pages.open("settings");
    await page.getByRole("button", { name: "Create URL" }).click();
    const url = await page.getByText(/\/calendar\/[\w-]{43}\.ics$/).innerText();
    assert.equal((await fetch(url)).status, 200);
    await page.reload();
    await page.getByText("You created your URL on").waitFor();
    await page.getByRole("button", { name: "Revoke URL" }).click();
    await page.getByRole("button", { name: "Create URL" }).waitFor();
    assert.equal((await fetch(url)).status, 404);
  });

  test("a published post shows what was counted, as a chart and a table, with the reason for what is not known (RES-3)", async () => {
    const postId = await pages.planPost("Harbour", {});
    const publishedAt = pages.deps.clock() - 90_000_000;
    const [publication] = await pages.deps.publications.listByPost(postId, ["scheduled", "proposed"]);
    const publicationId = publication?.id ?? "";
    await pages.changePublications(postId, {
      state: "published",
      publishedAt,
      remoteId: "1",
      dueAt: null,
      nextRunAt: null,
    });
    for (const [dueAge, likes] of [
      [1, 3],
      [24, 41],
    ] as const) {
      const metrics = {
        likes: { source: "likes", value: likes },
        comments: { source: null, value: null, reason: "not_offered" as const },
      };
      const readAt = publishedAt + dueAge * 3_600_000;
      await pages.deps.results.insert({ publicationId, readAt, dueAge, definition: 1, metrics });
    }
    const page = await pages.open(`publications/${publicationId}`);
    const rows = page.getByRole("table").getByRole("row");
    await rows.filter({ hasText: "24 h" }).waitFor();
    assert.deepEqual(await rows.allInnerTexts(), [
      "Age\tLikes\tComments",
      "24 h\t41\tnot offered",
      "1 h\t3\tnot offered",
    ]);
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  });
});
