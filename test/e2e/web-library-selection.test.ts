import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdToasts, pressMenuItem, resizeWindow, waitForPaint } from "../support/page-waits.ts";
import { pdf, png } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

describe("filters and selection in the library", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let postId: string;
  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    owner = await newStudio(deps);
    postId = (await createPost(deps, owner, { title: "Boats", body: "" })).id;
    await addImage("used.png", ["sea"]).then((assetId) => attachAsset(deps, owner, { postId, assetId }));
    await addImage("third.png", ["sea"]);
    await addImage("second.png");
    await addDocument("first.pdf");
    const context = await fixture.openContext(owner, { bypassCSP: true });
    page = await context.newPage();
  });
  after(() => fixture?.close());

  async function addImage(filename: string, tags: string[] = []): Promise<string> {
    const { deps } = fixture.service;
    const base64 = (await png()).toString("base64");
    const { assetId } = await uploadAssetInline(deps, owner, {
      kind: "image",
      mimeType: "image/png",
      base64,
      filename,
    });
    if (tags.length > 0) await updateAsset(deps, owner, { assetId, tags });
    return assetId;
  }

  async function addDocument(filename: string, caller = owner): Promise<string> {
    const input = { kind: "document", mimeType: "application/pdf", base64: pdf.toString("base64"), filename } as const;
    return (await uploadAssetInline(fixture.service.deps, caller, input)).assetId;
  }

  const open = async (search = ""): Promise<void> => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/assets${search}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForPaint(page);
  };
  const items = () => page.getByRole("list", { name: "Files" }).getByRole("listitem");
  const waitForItems = (count: number) => waitUntil(async () => (await items().count()) === count);
  const getSearch = () => new URL(page.url()).search;
  const chooseFilter = (name: string) => pressMenuItem(page, "menuitemradio", name);
  /** A menu returns the focus to its button only after it has closed. */
  const waitForFocus = (buttonName: string) =>
    page.getByRole("button", { name: buttonName }).and(page.locator(":focus")).waitFor();
  const isSelected = (filename: string) => page.getByRole("checkbox", { name: `Select ${filename}` }).isChecked();
  const readTags = async () =>
    Object.fromEntries(
      (await listAssets(fixture.service.deps, owner, { limit: 50 })).assets.map(({ filename, tags = [] }) => [
        filename,
        tags.toSorted().join(),
      ]),
    );

  test("filters by kind, usage and tag, all of which are in the URL (LIB-3, POST-3)", async () => {
    await open();
    await waitForItems(4);
    await page.getByRole("link", { name: "Documents" }).press("Enter");
    await waitForItems(1);
    assert.equal(getSearch(), "?kind=document");
    await page.getByRole("link", { name: "Images" }).press("Enter");
    await waitForItems(3);
    await page.getByRole("button", { name: "Usage" }).press("Enter");
    await chooseFilter("Unused");
    await waitForItems(2);
    await waitForFocus("Usage: Unused");
    await page.getByRole("button", { name: "Tag" }).press("Enter");
    await chooseFilter("sea");
    await waitForItems(1);
    await waitForFocus("Tag: sea");
    assert.equal(getSearch(), "?kind=image&usage=unused&tag=sea");
    await page.reload();
    await items()
      .getByRole("button", { name: /third\.png/ })
      .waitFor();
    await waitForItems(1);
    await waitForPaint(page);
    await page.getByRole("button", { name: "Clear tag filter" }).press("Enter");
    await waitForFocus("Tag");
    await waitForItems(2);
    await page.getByRole("button", { name: "Usage: Unused" }).press("Enter");
    await chooseFilter("Used in a post");
    await items()
      .getByRole("button", { name: /used\.png/ })
      .waitFor();
    await waitForFocus("Usage: Used");
    await page.getByRole("radio", { name: "List" }).press("Space");
    await page.waitForURL((url) => url.search === "?kind=image&usage=used&view=list");
    await page.getByRole("radio", { name: "List", checked: true }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("link", { name: "Videos" }).press("Enter");
    await page.getByText("No used videos match these filters.").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).press("Enter");
    await waitForItems(4);

    const unusedFiles = /\/api\/.*\/assets\?.*usage=unused/;
    await page.route(unusedFiles, (route) => route.fulfill({ json: { assets: [], nextCursor: null } }));
    await open("?usage=unused");
    await page.getByText("Files that no post uses appear here.").waitFor();
    await page.unroute(unusedFiles);
    await page.getByRole("link", { name: "Show all files" }).press("Enter");
    await waitForItems(4);
  });

  test("the list has headings above its columns, except on a phone, and a box that selects all files (WEB-12)", async () => {
    await open("?view=list");
    await waitForItems(4);
    const row = items().filter({ hasText: "used.png" });
    const columns = { Size: row.getByText(/\d × \d/).last(), Tags: row.getByRole("link", { name: "sea" }) };
    for (const [heading, cell] of Object.entries(columns)) {
      const [headingBox, cellBox] = [
        await page.locator("main").getByText(heading, { exact: true }).boundingBox(),
        await cell.boundingBox(),
      ];
      assert.ok(headingBox && cellBox, heading);
      assert.ok(Math.abs(headingBox.x - cellBox.x) < 2, heading);
    }
    await page.getByRole("checkbox", { name: "Select all 4" }).check();
    await page.getByText("4 selected").last().waitFor();
    await row.getByRole("button", { name: /Used in a post/ }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    const size = page.viewportSize();
    await resizeWindow(page, { width: 390, height: 844 });
    assert.equal(await page.getByText("Size", { exact: true }).isVisible(), false);
    await row.getByRole("link", { name: "sea" }).waitFor();
    const tagFilter = page.getByRole("button", { name: "Tag", exact: true });
    assert.equal(await tagFilter.isVisible(), false);
    await page.getByRole("button", { name: "Filters" }).click();
    await tagFilter.waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await page.getByRole("checkbox", { name: "Select all 4" }).uncheck();
    if (size) await page.setViewportSize(size);
  });

  test("selects files with the keyboard and with Shift (WEB-12)", async () => {
    await open();
    await waitForItems(4);
    await items()
      .getByRole("button", { name: /first\.pdf/ })
      .focus();
    await page.keyboard.press("x");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.match(String(await page.evaluate("document.activeElement?.textContent")), /third\.png/);
    await page.keyboard.press("x");
    const selection = page.getByRole("region", { name: "Selection" });
    await selection.getByText("2 selected").waitFor();
    assert.equal(await isSelected("second.png"), false);
    await page.keyboard.press("Escape");
    await selection.waitFor({ state: "detached" });
    await page.keyboard.press("Control+a");
    await selection.getByText("4 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("checkbox", { name: "Select first.pdf" }).press("Space");
    await page.getByRole("checkbox", { name: "Select third.png" }).click({ modifiers: ["Shift"] });
    await selection.getByText("3 selected").waitFor();
    assert.equal(await isSelected("second.png"), true);
    await items()
      .getByRole("button", { name: /second\.png/ })
      .click({ modifiers: ["Control"] });
    await selection.getByText("2 selected").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("button", { name: "Clear selection" }).press("Enter");
    assert.equal(await page.getByRole("dialog").count(), 0);
  });

  test("adds and removes tags of the selected files, and Undo brings the old ones back (POST-5, WEB-7)", async () => {
    const tagsBefore = await readTags();
    await items().first().getByRole("button").first().focus();
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Tags" }).press("Enter");
    const dialog = page.getByRole("dialog");
    const field = dialog.getByRole("combobox", { name: "Tags" });
    await field.pressSequentially("Spring");
    await field.press("Enter");
    await dialog.getByRole("checkbox", { name: "sea (2 files)" }).press("Space");
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Apply" }).press("Enter");
    await page.getByText("Changed the tags of 4 files.").first().waitFor();
    await dialog.waitFor({ state: "hidden" }); // then the toast is outside of it
    assert.deepEqual(await readTags(), {
      "first.pdf": "spring",
      "second.png": "spring",
      "third.png": "spring",
      "used.png": "spring",
    });
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await page.getByText("Undone for 4 files.").first().waitFor();
    assert.deepEqual(await readTags(), tagsBefore);
  });

  test("moves unused files to the trash, reports the others, and Undo restores them (LIB-2, WEB-7)", async () => {
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Move to trash" }).press("Enter");
    const report = page.getByRole("dialog", { name: "1 file not moved to the trash" });
    await report.getByText("used.png").waitFor();
    await report.getByText("Remove it from the post first.").waitFor();
    await holdToasts(page);
    assert.deepEqual(Object.keys(await readTags()), ["used.png"]);
    await report.getByRole("button", { name: "Close" }).press("Enter");
    await waitForItems(1);
    await page.getByRole("region", { name: "Selection" }).getByText("1 selected").waitFor();
    await page.getByRole("button", { name: "Undo" }).last().press("Enter");
    await page.getByText("Undone for 3 files.").first().waitFor();
    await waitForItems(4);
    assert.equal(Object.keys(await readTags()).length, 4);
    await page.keyboard.press("Escape");
  });

  test("adds selected files to a post, with a copy of the one that is on another post (LIB-1)", async () => {
    const { deps } = fixture.service;
    const target = await createPost(deps, owner, { title: "Hills", body: "" });
    await updatePost(deps, owner, { postId, status: "ready" });
    await open("?kind=image");
    await waitForItems(3);
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Add to post" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("this post gets a copy").waitFor();
    const readColumn = async (state: string) =>
      (await dialog.getByText(state, { exact: true }).first().boundingBox())?.x;
    assert.equal(await readColumn("Draft"), await readColumn("Ready"), "the states are in one column");
    await dialog.getByRole("radio", { name: /Hills/ }).press("Space");
    await dialog.getByRole("button", { name: "Add to post" }).press("Enter");
    await page.getByText("Added 3 files to “Hills”.").first().waitFor();
    await dialog.waitFor({ state: "hidden" });
    await holdToasts(page);
    const readNames = async (id: string) =>
      (await getPost(deps, owner, { postId: id })).assets.map(({ filename }) => filename);
    assert.deepEqual(await readNames(target.id), ["second.png", "third.png", "used.png"]);
    assert.deepEqual(await readNames(postId), ["used.png"]);
    await waitForItems(4);
    await page.getByRole("button", { name: "Undo" }).last().press("Enter");
    await page.getByText("Undone for 3 files.").first().waitFor();
    assert.deepEqual(await readNames(target.id), []);
    await waitForItems(3);
  });

  test("renders only the files in view, and loads the rest while the user scrolls (WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const otherOwner = await newStudio(deps);
    for (let i = 0; i < 200; i++) await addDocument(`file-${i}.pdf`, otherOwner);
    const context = await fixture.openContext(otherOwner, { viewport: { width: 390, height: 844 } });
    const otherPage = await context.newPage();
    await otherPage.goto(`${base}/studios/${otherOwner.studio.id}/assets`);
    const list = otherPage.getByRole("list", { name: "Files" });
    await list.getByRole("button", { name: /file-199\.pdf/ }).waitFor();
    await waitUntil(async () => {
      await otherPage.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      return (await list.getByRole("button", { name: /file-0\.pdf/ }).count()) === 1;
    });
    const renderedCount = await list.getByRole("listitem").count();
    assert.ok(renderedCount < 60, `${renderedCount} rendered`);
    assert.equal(await list.getByRole("button", { name: /file-199\.pdf/ }).count(), 0);
    await list.getByRole("button", { name: /file-0\.pdf/ }).press("Home");
    await list
      .getByRole("button", { name: /file-199\.pdf/ })
      .and(otherPage.locator(":focus"))
      .waitFor();
    assert.equal(await otherPage.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await context.close();
  });
});
