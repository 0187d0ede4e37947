import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { addMonths, formatLongDay } from "../../web/src/posts/calendar/calendar-days.ts";
import { addDays } from "#portable/zoned-time.ts";
import { findViolations } from "../support/axe.ts";
import { getBox, getBoxes } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { resizeWindow, waitForFit } from "../support/page-waits.ts";
import { phone, plannedDay, today, useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { attachNewFile } from "../support/web-posts.ts";

const at = `${plannedDay}T10:00`;
const suspended = { code: "rejected", message: "The account is suspended." };

describe("planned and failed publications in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour", "quay"] });

  const toHarbour = () => ({ connectionIds: pages.connectionIds.slice(0, 1) });
  const toQuay = () => ({ connectionIds: pages.connectionIds.slice(1) });
  async function addFailed(title: string, plan: Parameters<typeof pages.planPost>[1], problem = suspended) {
    const postId = await pages.planPost(title, plan);
    await pages.changePublications(postId, { state: "failed", problem });
    return postId;
  }
  const getRows = (page: Page) => page.getByRole("list", { name: "Publications" }).getByRole("listitem");
  const isTouchSized = ({ width, height }: { width: number; height: number }) => Math.min(width, height) >= 43.5;

  test("publishes again what failed; then no list, page or notice offers it any more (PUB-1, WEB-10)", async () => {
    const failedId = await addFailed("Fog", toHarbour());
    await addFailed("Mist", toQuay());
    const page = await pages.open("publications");
    const publishAgain = page.getByRole("button", { name: "Publish again to harbour" });
    await publishAgain.click();
    const dialog = page.getByRole("dialog", { name: "Publish post Fog" });
    await dialog.getByRole("checkbox", { name: "harbour", checked: true }).waitFor();
    await dialog.getByRole("checkbox", { name: "quay", checked: false }).waitFor();
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Publishing now.").first().waitFor();
    assert.deepEqual(await pages.readPlans(failedId), ["harbour scheduled", "harbour failed"]);
    await publishAgain.waitFor({ state: "detached" });

    await page.reload();
    await page.getByText("1 publication needs your attention:").waitFor();
    await page.getByRole("link", { name: "1 failed" }).click();
    await page.getByRole("link", { name: "1 failed" }).waitFor({ state: "detached" });
    await getRows(page).filter({ hasText: "Mist" }).getByText("The account is suspended.").waitFor();
    assert.equal(await getRows(page).count(), 1);
    await page.getByRole("checkbox", { name: "Hide earlier attempts", checked: true }).click();
    await page.waitForURL((url) => !url.searchParams.has("latest"));
    await getRows(page).getByRole("link", { name: "Fog", exact: true }).waitFor();
    assert.equal(await publishAgain.count(), 0, "a filtered list does not offer it");
    await getRows(page).getByRole("link", { name: "Fog", exact: true }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.equal(await publishAgain.count(), 0, "its own page does not offer it");
    // The newer publication is not in this filtered list, but still replaces the failed one.
    await pages.goTo(page, `publications?from=${plannedDay}`);
    await page.getByText("1 publication needs your attention:").waitFor();
    await page.getByRole("link", { name: "Publications 1 needs attention" }).waitFor();
  });

  test("offers no other time for a missed publication that a newer one has replaced (PUB-10)", async () => {
    const postId = await pages.planPost("Fog", { at });
    await pages.changePublications(postId, { state: "missed" });
    await publishPost(pages.deps, pages.owner, { postId, ...toHarbour() });
    const page = await pages.open("publications");
    for (const path of ["publications", `posts/${postId}`]) {
      await pages.goTo(page, path);
      await page.getByRole("button", { name: "Reschedule quay" }).waitFor();
      await page.getByText("A newer publication has replaced it.").waitFor();
      // The newer publication can be rescheduled.
      assert.equal(await page.getByRole("button", { name: "Reschedule harbour" }).count(), 1, path);
    }
  });

  test("schedules from a row's menu, to accounts where the post is not published yet, and reschedules (PUB-1, WEB-12)", async () => {
    const postId = await pages.planPost("Gulls", toHarbour());
    await pages.changePublications(postId, { state: "published", publishedAt: pages.deps.clock() });
    // The dialog suggests the accounts that have a text of their own.
    const variants = pages.connectionIds.map((connectionId) => ({ connectionId, body: "Gulls!" }));
    await updatePost(pages.deps, pages.owner, { postId, variants });
    const page = await pages.open("posts");
    const openDialog = async (item: string) => {
      await page.getByRole("button", { name: "Actions for Gulls" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const dialog = page.getByRole("dialog", { name: "Schedule post Gulls" });
    await openDialog("Schedule…");
    await dialog.getByText(/^Sandbox\. Already published: /).waitFor();
    await dialog.getByRole("checkbox", { name: "harbour", checked: false }).waitFor();
    await dialog.getByRole("checkbox", { name: "quay", checked: true }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    // The post is in the cache now, but may have been published since.
    let isFailing = true;
    const hold = Promise.withResolvers<void>();
    await page.route(`**/posts/${postId}`, async (route) => {
      if (isFailing) return route.fulfill({ status: 400, json: {} });
      await hold.promise; // nothing must load the post before the user tries again
      return route.continue();
    });
    await openDialog("Schedule…");
    await dialog.getByRole("alert").waitFor();
    assert.equal(await dialog.getByRole("checkbox").count(), 0);
    isFailing = false;
    await dialog.getByRole("button", { name: "Try again" }).click();
    hold.resolve();
    await dialog.getByLabel("Date and time").fill(at);
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Schedule" }).click();
    await page
      .getByText(/^Scheduled for .*, 10:00 (UTC|GMT[+]\d)( \(quay\))?\.$/)
      .first()
      .waitFor();
    assert.deepEqual(await pages.readPlans(postId), ["harbour published", `quay scheduled ${at}`]);

    await openDialog("Reschedule…");
    const reschedule = page.getByRole("dialog", { name: "Reschedule “Gulls”" });
    const time = reschedule.getByLabel("Date and time");
    assert.equal(await time.inputValue(), at);
    await time.fill(`${addDays(plannedDay, 1)}T11:30`);
    await reschedule.getByRole("button", { name: "Save time" }).click();
    await page.getByText(/^“Gulls” moved to /).waitFor();
    assert.deepEqual((await pages.readPlans(postId))[1], `quay scheduled ${addDays(plannedDay, 1)}T11:30`);
  });

  test("lists what goes out next by day, and counts what needs a person (WEB-10)", async () => {
    const [soon, late] = [addDays(today, 3), addDays(today, 9)];
    await pages.planPost("Later", { at: `${late}T10:00` });
    await attachNewFile(pages.deps, pages.owner, await pages.planPost("Sooner", { at: `${soon}T10:00` }), "fog.jpg");
    await addFailed("Fog", toQuay());
    await pages.changePublications(await pages.planPost("Tide", toHarbour()), { state: "proposed" });
    const page = await pages.open("publications/upcoming");
    const days = page.getByRole("heading", { level: 3 });
    await days.nth(1).waitFor();
    assert.deepEqual((await days.allTextContents()).slice(-2), [formatLongDay(soon), formatLongDay(late)]);
    await page.locator("li img").waitFor();
    const [laterBox, soonerBox] = await Promise.all(
      ["Later", "Sooner"].map((title) => getBox(page.getByText(title, { exact: true }))),
    );
    assert.equal(laterBox?.x, soonerBox?.x, "titles are aligned, with and without a thumbnail");
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await page.getByRole("button", { name: /Sooner/ }).click();
    await page.getByRole("dialog", { name: "Sooner" }).getByRole("button", { name: "Close" }).click();
    const menu = page.getByRole("button", { name: "Menu 1 waiting for approval, 1 needs attention", exact: true });
    assert.equal(await menu.locator("..").locator("span[aria-hidden=true]").textContent(), "2");
    await waitForFit(page);
  });

  test("on a phone, rows show time and state of planned posts, and all have the same height (WEB-12)", async () => {
    const longTitle = "A walk along the harbour wall at low tide, with notes on every boat that we met on the way";
    await pages.planPost("Mussels", { at });
    await pages.planPost("Buoy", { at, propose: true });
    // So far ahead that its time may include the year.
    await pages.planPost("Rope", { at: `${addMonths(today, 11).slice(0, 7)}-15T10:00` });
    await pages.planPost(longTitle, { at: `${plannedDay}T11:00` });
    await pages.addPost("Anchor", { tags: ["tide", "wall", "fog"] });
    const page = await pages.open("posts", { device: "phone" });
    const rows = page.getByRole("list", { name: "Posts" }).getByRole("listitem");
    const getRow = (title: string) => rows.filter({ has: page.getByRole("heading", { name: title }) });
    const times = page.getByText("Planned for").locator("..");
    await times.nth(3).waitFor();
    for (const time of await times.all()) {
      const line = time.locator("..");
      assert.ok((await getBox(time)).right <= (await getBox(line)).right, `${await time.textContent()} is clipped`);
      assert.equal(await line.locator("svg:visible").count(), 1);
    }
    for (const [title, text] of [
      ["Mussels", "Scheduled"],
      ["Buoy", "Waiting for approval"],
      ["Buoy", /^\d+ \w+, 10:00$/],
      ["Anchor", "tide"],
    ] as const) {
      const line = getRow(title).locator("p").last();
      const [box, lineBox] = [
        await getBox(line.getByText(text, { exact: true }).locator("visible=true")),
        await getBox(line),
      ];
      assert.ok(box.right <= lineBox.right && box.y < lineBox.bottom, `${String(text)} fits`);
    }
    const heights = (await getBoxes(rows)).map(({ height }) => height);
    assert.deepEqual([heights.length, new Set(heights).size], [5, 1], "a long title makes no row higher");
    assert.deepEqual(await findViolations(page), []);
  });

  test("all rows of the publications list have the same layout, below filters that leave room for them on a phone (WEB-12)", async () => {
    await addFailed("Fog", toHarbour());
    await pages.changePublications(await pages.planPost("Mist", toHarbour()), { state: "missed" });
    const proposedId = await pages.planPost("Mussels", toHarbour());
    await pages.changePublications(proposedId, { state: "proposed", approvedRevision: 1 });
    await pages.planPost("Boats", { ...toHarbour(), at });
    const page = await pages.open("publications", { device: "phone" });
    await getRows(page).nth(3).waitFor();
    await getRows(page).filter({ hasText: "Mussels" }).getByRole("link", { name: "Review harbour" }).waitFor();
    const failedActions = getRows(page).filter({ hasText: "Fog" }).locator("> div").last().locator("a, button");
    assert.deepEqual(await failedActions.allTextContents(), ["Publish again…", "Open post"], "the next step is first");
    for (const text of ["The account is suspended.", "The server was down"])
      assert.equal(await page.getByText(text).and(page.locator(".text-danger")).count(), 1, text);
    for (const width of [1440, 1024, phone.width]) {
      await resizeWindow(page, { width, height: 844 });
      const texts = await getBoxes(getRows(page).locator("> div:first-child"));
      const actions = await getBoxes(getRows(page).locator("> div:last-child"));
      const areBelow = actions.map(({ y }, index) => y > (texts[index]?.bottom ?? 0));
      assert.deepEqual([areBelow.length, new Set(areBelow).size], [4, 1], `actions on one side at ${width} px`);
    }
    assert.ok((await getBox(getRows(page).first())).y < phone.height / 2);
    const filters = page.getByRole("button", { name: "Filters", exact: true });
    const status = page.getByLabel("Status");
    assert.equal(await status.isVisible(), false);
    assert.ok(isTouchSized(await getBox(filters)));
    await filters.tap();
    await status.selectOption("failed");
    await page.getByRole("button", { name: "Filters (1 active)" }).tap();
    await status.waitFor({ state: "hidden" });
    assert.deepEqual(await findViolations(page), []);
  });

  test("the page of a failed or missed publication says what to do next, with a button in view on a phone (PUB-1, WEB-12)", async () => {
    const title = "A walk along the harbour wall at low tide";
    const getPath = async (postId: string) =>
      `publications/${(await pages.readPost(postId)).publications?.[0]?.id ?? ""}`;
    const addProblem = async (code: string, message: string) =>
      getPath(await addFailed(title, toHarbour(), { code, message }));
    const rejectedPath = await addProblem("rejected", "The platform rejected the post (status 422).");
    const blockedPath = await addProblem("blocked", "The platform has blocked the account.");
    const tooLongPath = await addProblem("not_publishable", "The text is too long.");
    const missedId = await pages.planPost(title, toQuay());
    await pages.changePublications(missedId, { state: "missed" });
    const missedPath = await getPath(missedId);
    const page = await pages.open("publications", { device: "phone" });
    const assertOffers = async (path: string, sentence: string, label: string) => {
      await pages.goTo(page, path);
      const notice = page.getByText(sentence).locator("../..");
      const action = notice.getByRole("button").or(notice.getByRole("link")).first();
      await action.and(page.getByLabel(label).or(page.getByText(label, { exact: true }))).waitFor();
      const box = await getBox(action);
      assert.ok(isTouchSized(box) && box.bottom < phone.height, `${label} is out of view`);
    };
    const nothing = "Nothing was published.";
    for (const [path, sentence, label] of [
      [rejectedPath, `(status 422). ${nothing} Fix the cause, then publish it again.`, "Publish again to harbour"],
      [tooLongPath, `too long. ${nothing} Change the post, then publish it again.`, "Open post"],
      [missedPath, "so nothing was published. Choose a new time or cancel it.", "Reschedule quay"],
      [blockedPath, `${nothing} Check the account, then publish it again.`, "Go to Platforms"],
    ] as const)
      await assertOffers(path, sentence, label);
    assert.deepEqual(await findViolations(page), []);

    await resizeWindow(page, { width: 1024, height: 844 });
    const text = page.getByText(`${nothing} Check the account, then publish it again.`);
    const textBox = await getBox(text);
    const firstBox = await getBox(text.locator("../..").getByRole("link", { name: "Go to Platforms" }));
    const nextBox = await getBox(text.locator("../..").getByRole("button", { name: "Publish again to harbour" }));
    assert.ok(textBox.bottom <= firstBox.y && textBox.x === firstBox.x, "the actions are below the text");
    assert.ok(nextBox.y === firstBox.y && nextBox.x > firstBox.right, "the actions are on one line");
    await resizeWindow(page, phone);

    const { platformStore } = pages.deps;
    for (const id of pages.connectionIds) {
      const { credentialGeneration = 0 } = (await platformStore.find(pages.owner.studio.id, id)) ?? {};
      await platformStore.deleteCredential(id, "needs_reconnect", credentialGeneration);
    }
    await assertOffers(rejectedPath, `${nothing} Reconnect harbour, then publish it again.`, "Reconnect harbour");
    assert.equal(await page.getByRole("button", { name: "Publish again to harbour" }).count(), 0);
    await assertOffers(missedPath, "Reconnect quay, then choose a new time.", "Reconnect quay");
    assert.equal(await page.getByRole("button", { name: "Reschedule quay" }).count(), 0);
  });

  test("says what an edit of a scheduled post does, and asks for a new approval after a member's edit (PUB-4, WEB-12)", async () => {
    const postId = await pages.planPost("Mussels", { ...toHarbour(), at });
    const page = await pages.open(`posts/${postId}`);
    const text = (openPage: Page) => openPage.getByRole("textbox", { name: "Text", exact: true });
    await page.getByText(/^Scheduled for .*, 10:00\. Changes until then will be published\.$/).waitFor();
    await text(page).fill("Two tides later.");
    await waitUntil(async () => (await pages.readPost(postId)).body === "Two tides later.");
    assert.deepEqual(await pages.readPlans(postId), [`harbour scheduled ${at}`]);

    await pages.deps.studios.update(pages.owner.studio.id, { approval: "everyone" });
    const member = await newMember(pages.deps, pages.owner, "member");
    const memberPage = await pages.open(`posts/${postId}`, { user: member });
    const hint = memberPage.getByText(/^Scheduled for .* an owner or admin needs to approve it again\.$/);
    await hint.waitFor();
    assert.deepEqual(await findViolations(memberPage), []);
    await text(memberPage).fill("Three tides later.");
    await hint.waitFor({ state: "detached" });
    assert.deepEqual(await pages.readPlans(postId), [`harbour proposed ${at}`]);
  });

  test("warns that a planned post will fail if an edit breaks the rules of the platform (PUB-4, WEB-12)", async () => {
    const postId = await pages.planPost("Mussels", { ...toHarbour(), at });
    await updatePost(pages.deps, pages.owner, { postId, body: "Tide! ".repeat(2000).trim() });
    const page = await pages.open(`posts/${postId}`, { device: "phone" });
    const warning = page.getByText(
      /^Won’t be published to harbour as it is: The text has 11,999 characters; the platform allows up to \d+\. Fix it before .*, 10:00\.$/,
    );
    await warning.waitFor();
    assert.equal(await page.getByText("Changes until then will be published.").count(), 0);
    await waitForFit(page);
    await page.getByRole("button", { name: "Reschedule harbour" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^Won’t be published as it is: .* Fix the post before the new time\.$/).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "harbour", exact: true }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await warning.waitFor();
    const promise = page.getByText("It will be published at the scheduled time.");
    assert.equal(await promise.count(), 0);
    await updatePost(pages.deps, pages.owner, { postId, body: "Two tides later." });
    await promise.waitFor();
    await warning.waitFor({ state: "detached" });
  });
});
