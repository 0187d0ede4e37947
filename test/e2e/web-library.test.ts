import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { emptyTrash } from "#domain/trash/empty-trash.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { jpeg } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const image = await jpeg(200, 120);
/** After the size of a file that arrived. */
const uploadedStatus = /· In the library$/;

describe("the library in the web app", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
    const context = await fixture.openContext(owner);
    page = await context.newPage();
  });
  after(() => fixture?.close());

  const open = (path: string) => page.goto(`${fixture.service.base}/studios/${owner.studio.id}${path}`);
  const listFiles = async () =>
    (await listAssets(fixture.service.deps, owner, { limit: 50 })).assets.map(({ filename, postId, status }) => ({
      filename,
      postId,
      status,
    }));
  const tiles = () => page.getByRole("list", { name: "Assets" }).getByRole("button");

  test("uploads files without a post, and shows them again after a reload (LIB-3)", async () => {
    await open("/assets");
    await page.getByText("No files yet").waitFor();
    await page.getByRole("button", { name: "Upload files" }).press("Enter");
    const uploads = page.getByRole("region", { name: "Upload files" });
    await uploads.locator("input[type=file]").first().setInputFiles({
      name: "logo.png",
      mimeType: "image/png",
      buffer: image,
    });
    await uploads.getByText(uploadedStatus).first().waitFor();
    await tiles().getByText("logo.jpg").waitFor();
    assert.deepEqual(await listFiles(), [{ filename: "logo.jpg", postId: null, status: "ready" }]);
    await page.reload();
    await uploads.getByText("All files are in the library.").first().waitFor();
    await tiles().getByText("logo.jpg").waitFor();
  });

  test("dragging files over the page shows the drop zone, which accepts them (LIB-3)", async () => {
    const otherPage = await (await fixture.openContext(owner)).newPage();
    await otherPage.goto(`${fixture.service.base}/studios/${owner.studio.id}/assets`);
    const uploadButton = otherPage.getByRole("button", { name: "Upload files" });
    assert.equal(await uploadButton.getAttribute("aria-expanded"), "false");
    const transfer = await otherPage.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(["Notes"], "notes.txt", { type: "text/plain" }));
      return data;
    })()`);
    await otherPage.dispatchEvent("main", "dragenter", { dataTransfer: transfer });
    await otherPage.getByText("Drop your files here").waitFor();
    await otherPage.dispatchEvent("main", "drop", { dataTransfer: transfer });
    await otherPage.getByText(uploadedStatus).first().waitFor();
    await uploadButton.click();
    await otherPage.getByText("Drop your files here").waitFor({ state: "hidden" });
    await otherPage.context().close();
    const notes = (await listAssets(fixture.service.deps, owner, { limit: 1 })).assets[0];
    assert.equal(notes?.filename, "notes.txt");
    await deleteAsset(fixture.service.deps, owner, { assetId: notes.id });
    await emptyTrash(fixture.service.deps, owner);
    await page.getByText("notes.txt").waitFor({ state: "detached" });
  });

  test("copies a file with the keyboard, and Undo removes the copy (LIB-1, WEB-7)", async () => {
    await tiles().first().press("Enter");
    await page.getByLabel("Alt text", { exact: true }).last().fill("Our logo");
    await page.getByRole("button", { name: "Make a copy" }).press("Enter");
    await page.getByText("Copied logo.jpg.").first().waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await tiles().nth(1).waitFor();
    const { assets } = await listAssets(fixture.service.deps, owner, { limit: 50 });
    const details = await Promise.all(assets.map(({ id }) => fixture.service.deps.assets.find(owner.studio.id, id)));
    assert.deepEqual(
      details.map((asset) => asset?.altText),
      ["Our logo", "Our logo"],
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await tiles().nth(1).waitFor({ state: "detached" });
    assert.equal((await listFiles()).length, 1);
  });

  test("adds a file to a post, and a copy of it to a second one (LIB-1)", async () => {
    const { deps } = fixture.service;
    const posts = [
      await createPost(deps, owner, { title: "First", body: "" }),
      await createPost(deps, owner, { title: "Second", body: "" }),
    ];
    for (const [i, post] of posts.entries()) {
      await open(`/posts/${post.id}`);
      await page.getByRole("button", { name: "Add from library" }).press("Enter");
      const dialog = page.getByRole("dialog");
      if (i === 1) {
        await dialog.getByText("No unused files.").waitFor();
        await dialog.getByLabel("Show files of other posts").press("Space");
        await dialog.getByText("On another post: adds a copy").waitFor();
      }
      await dialog.getByRole("checkbox", { name: /logo\.jpg/ }).press("Space");
      await dialog.getByRole("button", { name: "Add 1" }).press("Enter");
      await dialog.waitFor({ state: "hidden" });
      await page
        .getByRole("region", { name: "Files" })
        .getByRole("button", { name: /logo\.jpg/ })
        .first()
        .waitFor();
      const { assets } = await getPost(deps, owner, { postId: post.id });
      assert.deepEqual(
        assets.map(({ filename, altText }) => [filename, altText]),
        [["logo.jpg", "Our logo"]],
      );
    }
    assert.deepEqual((await listFiles()).map(({ postId }) => postId).toSorted(), posts.map(({ id }) => id).toSorted());
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), image.length);
  });

  test("the library and the picker fit a phone (WEB-12)", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const getOverflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
    await open("/assets");
    await tiles().first().waitFor();
    await page.getByText("Choose files").first().waitFor();
    assert.equal(await getOverflow(), 0);
    await tiles().first().click();
    await page.getByRole("button", { name: "Make a copy" }).waitFor();
    assert.equal(await getOverflow(), 0);
  });
});
