import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { emptyTrash } from "#domain/trash/empty-trash.ts";
import { findViolations } from "../support/axe.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { waitForFit, waitForPaint } from "../support/page-waits.ts";
import { jpeg } from "../support/samples.ts";
import { addFile } from "../support/history-fixture.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const image = await jpeg(200, 120);

describe("the library in the web app", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
    const context = await fixture.openContext(owner, { bypassCSP: true });
    page = await context.newPage();
  });
  after(() => fixture?.close());

  const open = async (path: string): Promise<void> => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForPaint(page);
  };
  const listFiles = async () =>
    (await listAssets(fixture.service.deps, owner, { limit: 50 })).assets.map(({ filename, postId, status }) => ({
      filename,
      postId,
      status,
    }));
  const items = (ofPage = page) => ofPage.getByRole("list", { name: "Files" }).getByRole("listitem");
  /** While a file is uploaded, it can be listed twice for a moment: as an upload and as a new file. */
  const waitForItems = (count: number) =>
    waitUntil(async () => (await items().count()) === count, { description: `${count} items` });
  /** A file that has arrived. */
  const tile = (text: RegExp, ofPage = page) => items(ofPage).locator("button[data-tile]").filter({ hasText: text });
  const fileInput = (ofPage = page) => ofPage.locator("input[type=file]").first();
  const upload = (name: string, mimeType = "image/png", buffer = image) => ({ name, mimeType, buffer });

  test("uploads files without a post, and shows them again after a reload (LIB-3)", async () => {
    await open("/assets");
    await page.getByText("No files yet").waitFor();
    const uploadButtons = page.getByRole("button", { name: "Upload files" });
    assert.equal(await uploadButtons.count(), 1);
    await fileInput().setInputFiles(upload("logo.png"));
    await tile(/logo\.jpg/).waitFor();
    assert.equal(await uploadButtons.count(), 1);
    assert.deepEqual(await listFiles(), [{ filename: "logo.jpg", postId: null, status: "ready" }]);
    await waitForItems(1);
    await page.reload();
    await tile(/logo\.jpg/).waitFor();
    await waitForItems(1);
  });

  test("shows each upload once, with its progress on the tile, until the file has arrived (LIB-3)", async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/files/**", async (route) => {
      if (route.request().method() === "PUT") await hold;
      await route.continue();
    });
    await fileInput().setInputFiles([upload("one.jpg", "image/jpeg"), upload("two.jpg", "image/jpeg")]);
    await page.getByRole("progressbar", { name: "Upload of two.jpg" }).waitFor();
    // The server lists the two assets as well, as pending.
    await waitUntil(async () => (await listFiles()).length === 3);
    // The second of two responses belongs to a request that was sent after that.
    for (let i = 0; i < 2; i++) await page.waitForResponse((response) => response.url().includes("/assets?"));
    await page.waitForTimeout(300);
    await waitForItems(3);
    await page.getByRole("region", { name: "Uploads" }).getByText("0 of 2 files").waitFor();
    await page.getByRole("button", { name: "Pause all" }).waitFor();
    await page.getByRole("button", { name: "Pause upload of one.jpg" }).press("Enter");
    await page.getByText("Paused at").waitFor();
    release();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
    await page.getByRole("button", { name: "Resume upload of one.jpg" }).press("Enter");
    for (const name of [/one\.jpg/, /two\.jpg/]) await tile(name).waitFor();
    await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" });
    await waitForItems(3);
  });

  test("says on the tile why an upload failed, and removes it (LIB-3)", async () => {
    expectFailure(page.context(), 415, "/api/uploads/files");
    await fileInput().setInputFiles(upload("drawing.svg", "image/svg+xml", Buffer.from("<svg/>")));
    const failedUpload = page.getByRole("region", { name: "Upload of drawing.svg" });
    await failedUpload.getByText("Files of this type are not accepted.").waitFor();
    await page.getByRole("button", { name: "Remove drawing.svg" }).press("Enter");
    await failedUpload.waitFor({ state: "detached" });
    await page.locator("#main:focus").waitFor();
  });

  test("accepts files that are dropped anywhere on the page (LIB-3)", async () => {
    const otherPage = await (await fixture.openContext(owner)).newPage();
    await otherPage.goto(`${fixture.service.base}/studios/${owner.studio.id}/assets`);
    await tile(/logo\.jpg/, otherPage).waitFor();
    const transfer = await otherPage.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(["Notes"], "notes.txt", { type: "text/plain" }));
      return data;
    })()`);
    await otherPage.dispatchEvent("main", "dragenter", { dataTransfer: transfer });
    const hint = otherPage.getByText("Drop files to add them to the library");
    await hint.waitFor();
    await otherPage.dispatchEvent("main", "drop", { dataTransfer: transfer });
    await hint.waitFor({ state: "hidden" });
    await tile(/notes\.txt/, otherPage).waitFor();
    await otherPage.context().close();
    const files = (await listAssets(fixture.service.deps, owner, { limit: 10 })).assets;
    for (const { id } of files.filter(({ filename }) => filename !== "logo.jpg"))
      await deleteAsset(fixture.service.deps, owner, { assetId: id });
    await emptyTrash(fixture.service.deps, owner);
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
    const posts = [
      await createPost(deps, owner, { title: "First", body: "" }),
      await createPost(deps, owner, { title: "Second", body: "" }),
    ];
    await open("/assets");
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
    for (const post of posts) {
      const { assets } = await getPost(deps, owner, { postId: post.id });
      assert.deepEqual(
        assets.map(({ filename, altText }) => [filename, altText]),
        [["logo.jpg", "Our logo"]],
      );
    }
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), image.length);

    await page.getByRole("button", { name: "Undo" }).last().press("Enter");
    await items().nth(1).waitFor({ state: "detached" });
    const readSecondPost = () => getPost(deps, owner, { postId: posts[1]?.id ?? "" });
    await waitUntil(async () => (await readSecondPost()).assets.length === 0, { description: "the copy is removed" });
  });

  test("removes a file from its post, after which the user can delete it; Undo puts it back (LIB-1)", async () => {
    await open("/assets");
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
    const { assets } = await listAssets(deps, owner, { limit: 1 });
    const { assetId } = await copyAsset(deps, owner, { assetId: assets[0]?.id ?? "" });
    const { id: postId } = await createPost(deps, owner, { title: "Third", body: "" });
    await attachAsset(deps, owner, { postId, assetId });
    await copyAsset(deps, owner, { assetId });
    await open("/assets");
    await items().nth(2).waitFor();
    await items().nth(0).getByRole("button").first().press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("JPEG image").waitFor();
    await dialog.getByText("200 × 120").waitFor();
    await dialog.getByText(owner.user.name).waitFor();
    for (const title of ["First", "Third"]) await dialog.getByRole("link", { name: title }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    const firstUrl = page.url();
    await page.keyboard.press("ArrowRight");
    await dialog.getByText("· this file").waitFor();
    assert.notEqual(page.url(), firstUrl);
    await dialog.getByRole("link", { name: "Unused copy" }).press("Enter");
    await page.waitForURL(firstUrl);
    await dialog.getByText("· this file").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Next file" }).press("Enter");
    await dialog.getByText("· this file").waitFor();
    await page.waitForTimeout(1100); // then the page checks the session again, which delays the closing of the dialog
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.locator("[data-tile='1']:focus").waitFor(); // the file seen last
    assert.equal(new URL(page.url()).search, "");
  });

  test("saves changes when the user moves to the next file, and asks before it discards them (WEB-7)", async () => {
    const dialog = page.getByRole("dialog");
    const altText = dialog.getByLabel("Alt text", { exact: true });
    await items().nth(0).getByRole("button").first().press("Enter");
    await altText.fill("A better text");
    await dialog.getByRole("button", { name: "Next file" }).press("Enter");
    await waitUntil(async () => (await altText.inputValue()) === "Our logo");
    await dialog.getByRole("button", { name: "Previous file" }).press("Enter");
    await waitUntil(async () => (await altText.inputValue()) === "A better text");
    await altText.fill("A worse text");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keep editing" }).press("Enter");
    assert.equal(await altText.inputValue(), "A worse text");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard changes" }).press("Enter");
    await dialog.first().waitFor({ state: "hidden" });
  });

  test("the library and its details fit a phone (WEB-12)", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    const assertFits = async () => {
      await waitForFit(page);
      assert.deepEqual(await findViolations(page), []);
    };
    const longName = `harbour_${"final_".repeat(12)}v12.pdf`;
    await addFile(fixture.service.deps, owner, longName);
    for (const path of ["/assets", "/assets?view=list"]) {
      await open(path);
      const button = page.locator("button[data-tile]").and(page.getByRole("button", { name: longName }));
      await button.waitFor();
      await assertFits();
      // The end of the name is visible.
      const [box, endBox] = [
        await button.boundingBox(),
        await button
          .getByText(/^\w+_v12\.pdf$/)
          .last()
          .boundingBox(),
      ];
      assert.ok(box && endBox && endBox.width > 50 && endBox.x + endBox.width <= box.x + box.width, path);
    }
    await open("/assets");
    await tile(/logo\.jpg/)
      .first()
      .click();
    await page.getByRole("button", { name: "Make a copy" }).waitFor();
    await assertFits();
  });
});
