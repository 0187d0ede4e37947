import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { findViolations } from "../support/axe.ts";
import { almostMatchingQuery } from "../support/hostile-posts.ts";
import { png } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";
import { openLoadedPage, startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("search in the web app", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  before(async () => void (fixture = await startWebFixture()));
  after(() => fixture?.close());

  test("continues a search that needs several calls until it finds a post or reaches the end (POST-3)", async () => {
    const { deps } = fixture.service;
    const owner = await newStudio(deps);
    await createPost(deps, owner, { title: `The needle ${almostMatchingQuery}`, body: "" });
    // More text than one search call reads. The index does not exclude it.
    for (let i = 0; i < 80; i++)
      await createPost(deps, owner, { title: `P${i} \u2032\u2032b`, body: "\u2057".repeat(100_000) });
    const context = await fixture.openContext(owner);
    context.setDefaultTimeout(60_000); // the server reads much text
    const page = await context.newPage();
    let searchCalls = 0;
    page.on("request", (request) => void (request.url().includes("query=") && searchCalls++));
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await page.getByLabel("Search posts").fill(almostMatchingQuery);
    await page.getByRole("link", { name: "The needle" }).waitFor();
    assert.ok(searchCalls >= 2, `${searchCalls} calls`);
    assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
    await page.getByLabel("Search posts").fill("nowhere");
    await page.getByText("No matching posts").waitFor();
    await context.close();
  });

  test("shows the part of a text that matches, with the words marked, in the list and the palette, which lists matching titles first (POST-3)", async () => {
    const { deps, base } = fixture.service;
    const owner = await newStudio(deps);
    const body = `${"Flour and water. ".repeat(10)}We bake with rye on Fridays.`;
    await createPost(deps, owner, { title: "Fridays in the bakery", body: "" });
    for (let i = 1; i <= 5; i++) await createPost(deps, owner, { title: `Loaf ${i}`, body: "Open on Fridays." });
    await createPost(deps, owner, { title: "Sourdough", body });
    const context = await fixture.openContext(owner, { bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${base}/studios/${owner.studio.id}/posts`);
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
    await context.close();
  });

  async function uploadImage(owner: Caller, filename: string, altText: string): Promise<string> {
    const { deps } = fixture.service;
    const image = { kind: "image", mimeType: "image/png", base64: (await png()).toString("base64"), filename } as const;
    const { assetId } = await uploadAssetInline(deps, owner, image);
    await updateAsset(deps, owner, { assetId, altText });
    return assetId;
  }

  test("tags a post with the keyboard, and filters posts by the tag (POST-3, POST-5, WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Boats", body: "" });
    await createPost(deps, owner, { title: "Hills", body: "" });
    const context = await fixture.openContext(owner);
    const page = await context.newPage();
    const hasTags = async (expected: string) =>
      (await getPost(deps, owner, { postId })).tags.toSorted().join() === expected;
    await openLoadedPage(page, `${base}/studios/${owner.studio.id}/posts/${postId}`);
    const field = page.getByRole("combobox", { name: "Tags" });
    const fieldBox = await field.boundingBox();
    await field.pressSequentially("Harbour,sea,");
    assert.deepEqual(await field.boundingBox(), fieldBox, "the field stays where it is");
    await field.pressSequentially("draft idea");
    await field.press("Enter");
    await waitUntil(() => hasTags("draft idea,harbour,sea"));
    await field.press("Backspace");
    await page.getByRole("button", { name: "Remove tag sea" }).press("Enter");
    assert.equal(await page.evaluate("document.activeElement?.id"), await field.getAttribute("id"));
    await waitUntil(() => hasTags("harbour"));
    await field.pressSequentially("x".repeat(41));
    await field.press("Enter");
    await page.getByText("This tag is too long.").waitFor();
    assert.equal(await field.inputValue(), "x".repeat(41));
    await field.fill("");
    await page.getByRole("link", { name: "Show posts with the tag harbour" }).press("Enter");
    await page.waitForURL((url) => url.searchParams.get("tag") === "harbour");

    await openLoadedPage(page, `${base}/studios/${owner.studio.id}/posts`);
    await page.getByRole("link", { name: "harbour", exact: true }).press("Enter");
    await page.getByRole("link", { name: "Hills" }).waitFor({ state: "detached" });
    await page.waitForURL((url) => url.searchParams.get("tag") === "harbour");
    await page.getByRole("link", { name: "Boats" }).waitFor();
    await page.getByRole("button", { name: "Clear tag filter" }).press("Enter");
    await page.getByRole("link", { name: "Hills" }).waitFor();
    await page.waitForURL((url) => url.search === "");
    await context.close();
  });

  test("tags a file, and finds it by alt text and tag, with the keyboard on a phone (POST-5, WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const owner = await newStudio(deps);
    const boatId = await uploadImage(owner, "one.png", "A red boat at low tide");
    await uploadImage(owner, "two.png", "A green hill");
    const { id: postId } = await createPost(deps, owner, { title: "Boats", body: "" });
    const context = await fixture.openContext(owner, {
      viewport: { width: 390, height: 800 },
      colorScheme: "dark",
      bypassCSP: true,
    });
    const page = await context.newPage();
    const assertFits = async () => {
      assert.deepEqual(await findViolations(page), []);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    };
    await openLoadedPage(page, `${base}/studios/${owner.studio.id}/assets`);
    const [boat, hill] = ["one.png", "two.png"].map((name) => page.getByRole("button", { name }));
    await boat?.press("Enter");
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
    // At once: the results of a part of the text would be replaced before the next key press.
    await search.fill("tide red");
    await hill?.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "harbour", exact: true }).press("Enter");
    await page.getByRole("button", { name: "Clear tag filter" }).waitFor();
    await assertFits();
    await search.fill("green");
    await page.getByText("No files with the tag “harbour” match “green”").waitFor();
    await page.getByRole("button", { name: "Clear tag filter" }).press("Enter");
    await hill?.waitFor();

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
    await context.close();
  });
});
