import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { addFile } from "../support/history-fixture.ts";
import { holdToasts, pressMenuItem, resizeWindow, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { jpeg } from "../support/samples.ts";
import { chooseFiles } from "../support/upload-fixture.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture } from "../support/web-fixture.ts";
import { uploadImage } from "../support/web-posts.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const image = await jpeg(200, 120);

describe("the library in the web app", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let owner: Caller;
  let page: Page;

  const openNewStudio = async (): Promise<void> => {
    owner = await newStudio(fixture.service.deps);
    page = await fixture.newPage(owner, { bypassCSP: true });
  };
  const open = async (search = ""): Promise<void> => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/assets${search}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForPaint(page);
  };
  const listFiles = async () => (await listAssets(fixture.service.deps, owner, { limit: 50 })).assets;
  const items = () => page.getByRole("list", { name: "Files" }).getByRole("listitem");
  const openFirstFile = () => items().first().getByRole("button").first().press("Enter");
  /** While a file is uploaded, it can be listed twice for a moment: as an upload and as a new file. */
  const waitForItems = (count: number) =>
    waitUntil(async () => (await items().count()) === count, { description: `${count} items` });

  describe("uploads, copies and details", () => {
    before(openNewStudio);

    /** A file that has arrived. */
    const tile = (text: RegExp) => items().locator("button[data-tile]").filter({ hasText: text });
    const upload = (name: string, mimeType = "image/png", buffer = image) => ({ name, mimeType, buffer });

    test("uploads files without a post, and shows them again after a reload (LIB-3)", async () => {
      await open();
      await page.getByText("No files yet").waitFor();
      await chooseFiles(page, upload("logo.png"));
      await tile(/logo\.jpg/).waitFor();
      assert.equal(await page.getByRole("button", { name: "Upload files" }).count(), 1);
      const files = (await listFiles()).map(({ filename, postId, status }) => ({ filename, postId, status }));
      assert.deepEqual(files, [{ filename: "logo.jpg", postId: null, status: "ready" }]);
      await waitForItems(1);
      await page.reload();
      await tile(/logo\.jpg/).waitFor();
      await waitForItems(1);
    });

    test("accepts files that are dropped anywhere on the page (LIB-3)", async () => {
      const dataTransfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(["Notes"], "notes.txt", { type: "text/plain" }));
        return data;
      })()`);
      await page.dispatchEvent("main", "dragenter", { dataTransfer });
      const hint = page.getByText("Drop files to add them to the library");
      await hint.waitFor();
      await page.dispatchEvent("main", "drop", { dataTransfer });
      await hint.waitFor({ state: "hidden" });
      await tile(/notes\.txt/).waitFor();
      for (const { id } of (await listFiles()).filter(({ filename }) => filename !== "logo.jpg"))
        await deleteAsset(fixture.service.deps, owner, { assetId: id });
      await emptyTrash(fixture.service.deps, owner);
      await open();
      await waitForItems(1);
    });

    test("copies a file with the keyboard, and Undo removes the copy (LIB-1, WEB-7)", async () => {
      await tile(/logo\.jpg/).press("Enter");
      await page.getByLabel("Alt text", { exact: true }).fill("Our logo");
      await page.getByRole("button", { name: "Make a copy" }).press("Enter");
      await page.getByText("Copied logo.jpg.").first().waitFor();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await items().nth(1).waitFor();
      assert.equal((await listFiles()).length, 2);
      await page.getByRole("button", { name: "Undo" }).press("Enter");
      await items().nth(1).waitFor({ state: "detached" });
      await waitUntil(async () => (await listFiles()).length === 1, { description: "the copy is removed" });
    });

    test("adds a file to a post, and a copy of it to a second one (LIB-1)", async () => {
      const { deps } = fixture.service;
      const postIds: string[] = [];
      for (const title of ["First", "Second"]) postIds.push((await createPost(deps, owner, { title, body: "" })).id);
      await open();
      await tile(/logo\.jpg/).press("Enter");
      await page.getByRole("button", { name: "Add to post…" }).press("Enter");
      await page.getByRole("radio", { name: /Second/ }).waitFor();
      await page.getByLabel("Search posts").fill("first");
      await page.getByRole("radio", { name: /Second/ }).waitFor({ state: "detached" });
      await page.getByRole("radio", { name: /First/ }).press("Space");
      await page.getByRole("button", { name: "Add to post", exact: true }).press("Enter");
      await page.getByText("Added logo.jpg to “First”.").first().waitFor();
      await page.getByRole("dialog").waitFor({ state: "hidden" });

      await tile(/logo\.jpg.*Used in a post/).press("Enter");
      await page.getByRole("button", { name: "Copy to another post…" }).press("Enter");
      await page.getByRole("radio", { name: /Second/ }).press("Space");
      assert.equal(await page.getByRole("radio", { name: /First/ }).count(), 0, "it is on this post");
      await page.getByRole("button", { name: "Copy to post" }).press("Enter");
      await page.getByText("Copied logo.jpg to “Second”.").first().waitFor();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      const readNames = async (postId = "") =>
        (await getPost(deps, owner, { postId })).assets.map(({ filename, altText }) => `${filename} ${altText}`);
      for (const postId of postIds) assert.deepEqual(await readNames(postId), ["logo.jpg Our logo"]);

      await page.getByRole("button", { name: "Undo" }).last().press("Enter");
      await waitForItems(1);
      await waitUntil(async () => (await readNames(postIds[1])).length === 0, { description: "the copy is removed" });
    });

    test("removes a file from its post, after which the user can delete it; Undo puts it back (LIB-1)", async () => {
      await open();
      await tile(/logo\.jpg.*Used in a post/).press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Remove from post" }).press("Enter");
      await dialog.getByRole("button", { name: "Move to trash" }).waitFor();
      await page.getByText("Removed logo.jpg from “First”. Still in your library.").first().waitFor();
      assert.equal(await dialog.getByRole("link", { name: "First" }).count(), 0);
      await dialog.getByRole("button", { name: "Undo" }).press("Enter");
      await dialog.getByRole("link", { name: "First" }).waitFor();
      await dialog.getByRole("button", { name: "Remove from post" }).waitFor();
    });

    test("shows who added a file and where it is used, and moves between files by keyboard (LIB-1, WEB-12)", async () => {
      const { deps } = fixture.service;
      const [file] = await listFiles();
      const { assetId } = await copyAsset(deps, owner, { assetId: file?.id ?? "" });
      const { id: postId } = await createPost(deps, owner, { title: "Third", body: "" });
      await attachAsset(deps, owner, { postId, assetId });
      await copyAsset(deps, owner, { assetId });
      await open();
      await waitForItems(3);
      await openFirstFile();
      const dialog = page.getByRole("dialog");
      for (const text of ["JPEG image", "200 × 120", owner.user.name]) await dialog.getByText(text).waitFor();
      for (const title of ["First", "Third"]) await dialog.getByRole("link", { name: title }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      const firstUrl = page.url();
      const isAnotherFile = dialog.getByText("· this file");
      await page.keyboard.press("ArrowRight");
      await isAnotherFile.waitFor();
      assert.notEqual(page.url(), firstUrl);
      await dialog.getByRole("link", { name: "Unused copy" }).press("Enter");
      await page.waitForURL(firstUrl);
      await isAnotherFile.waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "Next file" }).press("Enter");
      await isAnotherFile.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await page.locator("[data-tile='1']:focus").waitFor(); // the file seen last
      assert.equal(new URL(page.url()).search, "");
    });

    test("saves changes when the user moves to the next file, and asks before it discards them (WEB-7)", async () => {
      const dialog = page.getByRole("dialog");
      const altText = dialog.getByLabel("Alt text", { exact: true });
      const waitForText = (text: string) => waitUntil(async () => (await altText.inputValue()) === text);
      await openFirstFile();
      await altText.fill("A better text");
      await dialog.getByRole("button", { name: "Next file" }).press("Enter");
      await waitForText("Our logo");
      await dialog.getByRole("button", { name: "Previous file" }).press("Enter");
      await waitForText("A better text");
      await altText.fill("A worse text");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Keep editing" }).press("Enter");
      assert.equal(await altText.inputValue(), "A worse text");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Discard changes" }).press("Enter");
      await dialog.first().waitFor({ state: "hidden" });
    });

    test("the library and its details fit a phone, and show the end of a long name (WEB-12)", async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ colorScheme: "dark" });
      const assertFits = async () => {
        await waitForFit(page);
        assert.deepEqual(await findViolations(page), []);
      };
      const longName = `harbour_${"final_".repeat(12)}v12.pdf`;
      await addFile(fixture.service.deps, owner, longName);
      for (const search of ["", "?view=list"]) {
        await open(search);
        const button = page.locator("button[data-tile]").and(page.getByRole("button", { name: longName }));
        await button.waitFor();
        await assertFits();
        const end = button.getByText(/^\w+_v12\.pdf$/).last();
        const [box, endBox] = await Promise.all([button, end].map((locator) => locator.boundingBox()));
        assert.ok(box && endBox && endBox.width > 0 && endBox.x + endBox.width <= box.x + box.width, search);
      }
      await openFirstFile();
      await page.getByRole("button", { name: "Make a copy" }).waitFor();
      await assertFits();
    });
  });

  describe("filters and selection", () => {
    before(async () => {
      await openNewStudio();
      const { deps } = fixture.service;
      const { id: postId } = await createPost(deps, owner, { title: "Boats", body: "" });
      const assetId = await uploadImage(deps, owner, "used.png", { tags: ["sea"] });
      await attachAsset(deps, owner, { postId, assetId });
      await uploadImage(deps, owner, "third.png", { tags: ["sea"] });
      await uploadImage(deps, owner, "second.png");
      await addFile(deps, owner, "first.pdf");
    });

    const fileButton = (filename: string) => items().getByRole("button", { name: filename });
    const getSearch = () => new URL(page.url()).search;
    const chooseFilter = (name: string) => pressMenuItem(page, "menuitemradio", name);
    /** A menu returns the focus to its button only after it has closed. */
    const waitForFocus = (buttonName: string) =>
      page.getByRole("button", { name: buttonName }).and(page.locator(":focus")).waitFor();
    const readTags = async () =>
      Object.fromEntries((await listFiles()).map(({ filename, tags = [] }) => [filename, tags.toSorted().join()]));

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
      await fileButton("third.png").waitFor();
      await waitForPaint(page);
      await page.getByRole("button", { name: "Clear tag filter" }).press("Enter");
      await waitForFocus("Tag");
      await waitForItems(2);
      await page.getByRole("radio", { name: "List" }).press("Space");
      await page.waitForURL((url) => url.search === "?kind=image&usage=unused&view=list");
      await page.getByRole("radio", { name: "List", checked: true }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      await page.getByRole("link", { name: "Videos" }).press("Enter");
      await page.getByText("No unused videos match these filters.").waitFor();
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

    test("the list has headings, except on a phone, which hides the filters, and a box that selects all files (WEB-12)", async () => {
      await open("?view=list");
      await waitForItems(4);
      const heading = page.locator("main").getByText("Size", { exact: true });
      const [headingBox, cellBox] = [
        await heading.boundingBox(),
        await items()
          .filter({ hasText: "used.png" })
          .getByText(/\d × \d/)
          .last()
          .boundingBox(),
      ];
      assert.ok(headingBox && cellBox && Math.abs(headingBox.x - cellBox.x) < 2, "a heading is above its column");
      await page.getByRole("checkbox", { name: "Select all 4" }).check();
      await page.getByText("4 selected").last().waitFor();
      assert.deepEqual(await findViolations(page), []);
      const size = page.viewportSize();
      await resizeWindow(page, { width: 390, height: 844 });
      assert.equal(await heading.isVisible(), false);
      const tagFilter = page.getByRole("button", { name: "Tag", exact: true });
      assert.equal(await tagFilter.isVisible(), false);
      await page.getByRole("button", { name: "Filters" }).click();
      await tagFilter.waitFor();
      await waitForFit(page);
      await page.getByRole("checkbox", { name: "Select all 4" }).uncheck();
      if (size) await page.setViewportSize(size);
    });

    test("adds and removes tags of the selected files, and Undo brings the old ones back (POST-5, WEB-7)", async () => {
      await open();
      await waitForItems(4);
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
      assert.deepEqual(Object.values(await readTags()), ["spring", "spring", "spring", "spring"]);
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

    test("renders only the files in view, and loads the rest while the user scrolls (WEB-12)", async () => {
      const { deps, base } = fixture.service;
      const otherOwner = await newStudio(deps);
      for (let i = 0; i < 200; i++) await addFile(deps, otherOwner, `file-${i}.pdf`);
      const otherPage = await fixture.newPage(otherOwner, { viewport: { width: 390, height: 844 } });
      await otherPage.goto(`${base}/studios/${otherOwner.studio.id}/assets`);
      const list = otherPage.getByRole("list", { name: "Files" });
      const [newest, oldest] = [/file-199\.pdf/, /file-0\.pdf/].map((name) => list.getByRole("button", { name }));
      await newest?.waitFor();
      await waitUntil(async () => {
        await otherPage.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return (await oldest?.count()) === 1;
      });
      assert.ok((await list.getByRole("listitem").count()) < 60);
      assert.equal(await newest?.count(), 0);
      await oldest?.press("Home");
      await newest?.and(otherPage.locator(":focus")).waitFor();
    });
  });
});
