import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days, hours } from "#lib/clock.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { phone, useStudioPages } from "../support/studio-pages.ts";

describe("the results of an account in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });

  /** Publishes a post some days ago, and what was counted a week later; null if nothing was read. */
  async function publish(title: string, daysAgo: number, likes: number | null, tags: string[] = []): Promise<void> {
    const postId = await pages.addPost(title, { tags });
    await publishPost(pages.deps, pages.owner, { postId, connectionIds: pages.connectionIds });
    const publishedAt = pages.deps.clock() - days(daysAgo);
    const [publication] = await pages.deps.publications.listByPost(postId, ["scheduled"]);
    const publicationId = publication?.id ?? "";
    await pages.changePublications(postId, { state: "published", publishedAt, remoteId: title });
    const [dueAge, definition] = [168, 1];
    const metrics = {
      likes: { source: "favourites_count", value: likes ?? 0 },
      comments: { source: "replies_count", value: 3 },
      reposts: { source: null, value: null, reason: "not_offered" as const },
    };
    const readAt = publishedAt + hours(dueAge);
    if (likes !== null) await pages.deps.results.insert({ publicationId, readAt, dueAge, definition, metrics });
  }
  const readRows = async (page: Page) =>
    (await page.getByRole("table").getByRole("row").allInnerTexts()).slice(1).map((row) => row.replaceAll("\n", ""));
  const readTitles = async (page: Page) => (await readRows(page)).map((row) => row.split("\t")[0]);

  test("posts are compared, sorted, filtered by tag and exported, with a table that says what is missing (RES-4, RES-7)", async () => {
    await publish("=Fog", 20, 4, ["sea"]);
    await publish("Gulls", 15, 31);
    await publish("Tide", 12, null, ["sea"]);
    await publish("New", 2, null);
    const page = await pages.open("posts");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "Results", level: 1 }).waitFor();
    await page.getByRole("table", { name: "Results of harbour, 7 days after publishing" }).waitFor();
    const rows = (await readRows(page)).map((row) => row.split("\t").filter((_, i) => i !== 1));
    assert.deepEqual(rows, [
      ["New", "Not old enough yet"],
      ["Tide", "Not read at this age"],
      ["Gulls", "31", "3", "not offered"],
      ["=Fog", "4", "3", "not offered"],
    ]);
    assert.deepEqual(await findViolations(page), []);

    await page.getByRole("button", { name: "Likes" }).press("Enter");
    await page
      .getByRole("columnheader", { name: /^Likes/ })
      .and(page.locator("[aria-sort=descending]"))
      .waitFor();
    assert.deepEqual(await readTitles(page), ["Gulls", "=Fog", "New", "Tide"]);
    await page.getByLabel("Tag").selectOption("sea");
    await page.getByRole("link", { name: "Gulls" }).waitFor({ state: "detached" });
    assert.deepEqual(await readTitles(page), ["=Fog", "Tide"]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "results-harbour.csv");
    const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
    assert.equal(
      lines[0],
      "\uFEFFTitle,Published,Read,URL,Tags,likes (favourites_count),comments (replies_count),reposts,Not available",
    );
    assert.match(lines[1] ?? "", /^'=Fog,.*,sea,4,3,,reposts: not offered$/);
    assert.match(lines[2] ?? "", /^Tide,.*,sea,,,,Not read at this age$/);

    await page.setViewportSize(phone);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await page.getByLabel("Age of the posts").selectOption("1 hour");
    await page.getByText("Not read at this age").nth(1).waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Results of harbour, 1 hour after publishing" }).waitFor();
    assert.deepEqual(await readTitles(page).then((titles) => titles.toSorted()), ["=Fog", "Tide"]);
  });

  test("without posts or accounts, the page says what to do (RES-4)", async () => {
    const page = await pages.open("results");
    await page.getByRole("heading", { name: "Nothing published in this time" }).waitFor();
    assert.deepEqual(await findViolations(page), []);
  });
});
