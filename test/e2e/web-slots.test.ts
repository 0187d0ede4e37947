import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { toLocalTime } from "#portable/zoned-time.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { phone, timezone, useStudioPages } from "../support/studio-pages.ts";

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
