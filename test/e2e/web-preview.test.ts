import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { findViolations } from "../support/axe.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { waitForFit, waitForPaint } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const phone = { width: 390, height: 844 };

describe("the preview per account in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;

  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    await newConnection(deps, owner, "north-images", "instagram");
    await newConnection(deps, owner, "north-words", "mastodon");
    page = await (await fixture.openContext(owner, { bypassCSP: true })).newPage();
  });
  after(() => fixture?.close());

  const addPost = async (body: string, images: readonly [filename: string, bytes: Buffer][]): Promise<string> => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Harbour", body });
    for (const [filename, bytes] of images) {
      const upload = { kind: "image", mimeType: "image/png", base64: bytes.toString("base64"), filename } as const;
      const { assetId } = await uploadAssetInline(deps, owner, upload);
      await attachAsset(deps, owner, { postId, assetId });
    }
    return postId;
  };
  const openPreview = async (postId: string, account: string, platform: string) => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${postId}`);
    await page.getByRole("tab", { name: new RegExp(`^${account}`) }).click();
    return page.getByRole("group", { name: `Post on ${platform}` });
  };
  const getAccount = (label: string) =>
    page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: label });
  const checkPage = async (): Promise<void> => {
    assert.deepEqual(await findViolations(page), []);
    const size = page.viewportSize();
    await page.setViewportSize(phone);
    await page.waitForTimeout(100);
    await waitForFit(page);
    if (size) await page.setViewportSize(size);
    await waitForPaint(page); // the header changes its height after the browser reports the width
  };
  /** The size of the shown rendition, and whether its middle is red, from the left half, or blue, from the right. */
  const readRendition = async () => {
    const image = page.getByRole("group", { name: "Post on Instagram" }).locator("[aria-busy=false] img");
    const url = new URL((await image.getAttribute("src")) ?? "", page.url()).href;
    const { data, info } = await sharp(await (await page.request.get(url)).body())
      .raw()
      .toBuffer({ resolveWithObject: true });
    const middle = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
    return { size: [info.width, info.height], color: (data[middle] ?? 0) > (data[middle + 2] ?? 0) ? "red" : "blue" };
  };

  test("a post with many accounts shows those that can publish first, and the others on request (PUB-1)", async () => {
    const { deps, base } = fixture.service;
    const manyAccounts = await newStudio(deps, owner, "West");
    for (const number of [1, 2]) await newConnection(deps, manyAccounts, `tight-${number}`, "bluesky");
    for (const number of [1, 2, 3, 4]) await newConnection(deps, manyAccounts, `roomy-${number}`, "mastodon");
    const { id } = await createPost(deps, manyAccounts, { title: "Long", body: "x".repeat(400) });
    await page.goto(`${base}/studios/${manyAccounts.studio.id}/posts/${id}`);
    const rows = page.getByRole("list", { name: "Accounts" }).locator("> li");
    const toggle = page.getByRole("button", { name: "Show 2 more accounts (2 can’t take this post)" });
    await toggle.waitFor();
    assert.deepEqual([await rows.count(), await rows.filter({ hasText: "roomy" }).count()], [4, 4]);
    assert.deepEqual(await findViolations(page), []);
    await toggle.press("Enter");
    await getAccount("tight-1").getByText("Can’t publish", { exact: true }).waitFor();
    assert.equal(await rows.count(), 6);
    await page.getByRole("button", { name: "Show fewer accounts", expanded: true }).press("Enter");
    await toggle.and(page.locator(":focus")).waitFor();
    assert.equal(await rows.count(), 4);
  });

  test("pads an image or crops it where the user moves the frame, by keyboard and by mouse, and resets it", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("See https://harbour.example. #boats", [["wide.png", await createTwoColors()]]);
    const post = await openPreview(postId, "north-images", "Instagram");
    await post.getByText("#boats", { exact: true }).waitFor();
    assert.equal(await post.getByRole("link").count(), 0, "Instagram shows URLs as text");
    const files = page.getByRole("list", { name: "Files for north-images" });
    await files.getByText("wide.png will be converted to JPEG and padded, 1200 × 629.").waitFor();
    assert.deepEqual((await readRendition()).size, [1200, 629]);
    await checkPage();

    await files.getByRole("radio", { name: "Crop" }).check();
    const slider = files.getByRole("slider", { name: "Crop position of wide.png" });
    await slider.focus();
    for (const [key, description, color] of [
      ["End", "right edge", "blue"],
      ["Home", "left edge", "red"],
      ["ArrowRight", "2% from the left", "red"],
    ] as const) {
      await slider.press(key);
      await files.getByText(`Saved. Cropped: ${description}.`).waitFor();
      assert.deepEqual(await readRendition(), { size: [764, 400], color });
    }
    await checkPage();

    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 1000, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await files.getByText("Saved. Cropped: right edge.").waitFor();
    assert.equal((await readRendition()).color, "blue");
    assert.deepEqual(
      (await getPost(deps, owner, { postId })).crops?.map(({ platform, x }) => [platform, x]),
      [["instagram", 1]],
    );

    await files.getByRole("button", { name: "Reset the fit of wide.png" }).click();
    await files.getByText("Saved. Padded.").waitFor();
    assert.deepEqual((await readRendition()).size, [1200, 629]);
    assert.deepEqual((await getPost(deps, owner, { postId })).crops, undefined);
  });

  test("reserves the room of a padded image before it is loaded", async () => {
    const postId = await addPost("Boats", [["wide.png", await createTwoColors()]]);
    const hold = Promise.withResolvers<void>();
    await page.route("**/renditions/**", async (route) => {
      await hold.promise;
      await route.continue();
    });
    const post = await openPreview(postId, "north-images", "Instagram");
    await post.getByText("Converting…").waitFor();
    const reservedBox = await post.locator("[aria-busy=true] img").boundingBox();
    hold.resolve();
    const image = post.locator("[aria-busy=false] img");
    await image.waitFor();
    const box = await image.boundingBox();
    assert.ok(
      box && reservedBox && Math.abs(box.height - reservedBox.height) <= 1,
      JSON.stringify({ box, reservedBox }),
    );
    assert.ok(Math.abs(box.width / box.height - 1200 / 629) < 0.02);
    await page.unroute("**/renditions/**");
  });

  test("shows every slide of a carousel in the frame of the first one, and moves it with buttons", async () => {
    const square = await sharp(await createTwoColors())
      .resize(400, 400)
      .png()
      .toBuffer();
    const postId = await addPost("Boats", [
      ["wide.png", await createTwoColors()],
      ["square.png", square],
    ]);
    const post = await openPreview(postId, "north-images", "Instagram");
    const slides = post.getByRole("list", { name: "Carousel of 2 files" }).getByRole("listitem");
    await slides.nth(1).locator("[aria-busy=false]").waitFor();
    for (const slide of await slides.all()) {
      const box = await slide.boundingBox();
      assert.ok(box && Math.abs(box.width / box.height - 1200 / 629) < 0.02, JSON.stringify(box));
    }
    await post.getByText("1/2", { exact: true }).waitFor();
    const next = post.getByRole("button", { name: "Next file" });
    await next.press("Enter");
    await post.getByText("2/2", { exact: true }).waitFor();
    await next.and(page.locator(":focus[aria-disabled=true]")).waitFor();
    await post.getByRole("button", { name: "Previous file" }).click();
    await post.getByText("1/2", { exact: true }).waitFor();
    await checkPage();
  });

  test("saves a choice after the previous one, so that the last choice wins", async () => {
    const postId = await addPost("Boats", [["wide.png", await createTwoColors()]]);
    await openPreview(postId, "north-images", "Instagram");
    const files = page.getByRole("list", { name: "Files for north-images" });
    const firstRequest = Promise.withResolvers<void>();
    const hold = Promise.withResolvers<void>();
    let requestCount = 0;
    await page.route("**/crop", async (route) => {
      requestCount++;
      firstRequest.resolve();
      if (requestCount === 1) await hold.promise;
      await route.continue();
    });
    await files.getByRole("radio", { name: "Crop" }).check();
    await firstRequest.promise;
    await files.getByRole("radio", { name: "Pad" }).check();
    await page.waitForTimeout(300);
    assert.equal(requestCount, 1, "the second choice waits for the first");
    hold.resolve();
    await files.getByText("Saved. Padded.").waitFor();
    assert.equal(requestCount, 2);
    assert.deepEqual((await getPost(fixture.service.deps, owner, { postId })).crops, undefined);
    await page.unroute("**/crop");
  });

  test("folds a long text where Mastodon folds it, and says in place what is rejected", async () => {
    const damagedImage = (await createTwoColors()).subarray(0, 60);
    const postId = await addPost("A line\n".repeat(80).trim(), [["damaged.png", damagedImage]]);
    expectFailure(page.context(), 409, /\/renditions\/plc_\w+$/);
    expectFailure(page.context(), 404, /^\/files\/thumb\//);
    const post = await openPreview(postId, "north-words", "Mastodon");
    await post.getByText("Can’t publish").waitFor();
    await page.getByRole("list", { name: "Files for north-words" }).getByText("can’t be opened").waitFor();
    const tile = page.getByRole("button", { name: /^damaged.png, .*, can’t be opened$/ });
    await tile.waitFor();
    assert.equal(await tile.locator("img").count(), 0, "the thumbnail would be black");
    const lengthProblem = page.getByText(/^Warning: The text has 559 characters/).filter({ visible: true });
    await lengthProblem.waitFor();
    assert.equal(await post.filter({ has: lengthProblem }).count(), 0, "a problem is not a part of the post");
    const text = post.getByText("A line");
    const foldedHeight = (await text.boundingBox())?.height ?? 0;
    await post.getByRole("button", { name: "See more" }).click();
    await post.getByRole("button", { name: "See less" }).waitFor();
    assert.ok(((await text.boundingBox())?.height ?? 0) > foldedHeight * 1.5);
    await checkPage();
  });

  test("says what a new post needs, and shows it as a problem once the post has text", async () => {
    const postId = await addPost("", []);
    await openPreview(postId, "north-images", "Instagram");
    const account = getAccount("north-images");
    await account.getByText("Add at least 1 file.").waitFor();
    assert.equal(await account.locator(".text-danger").count(), 0);
    await page.getByRole("tab", { name: "All accounts" }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Boats");
    await account.locator(".text-danger").getByText("Add at least 1 file.").waitFor();
  });

  test("chooses fewer files for an account, from the post and from the dialog", async () => {
    const image = await createTwoColors();
    const names = ["1.png", "2.png", "3.png", "4.png", "5.png"];
    const postId = await addPost(
      "Boats",
      names.map((name) => [name, image]),
    );
    await openPreview(postId, "north-words", "Mastodon");
    const problem = "The post has 5 images; most servers allow up to 4, so this account’s server may reject the post.";
    await page.getByText(problem).first().waitFor();
    const account = getAccount("north-words");
    await account.getByText(`Warning: ${problem}`).waitFor();
    assert.equal(await account.getByText("Can publish", { exact: true }).count(), 0);
    await page.getByRole("tab", { name: /^north-words .*has a warning$/ }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    const publishDialog = page.getByRole("dialog", { name: "Publish post Harbour" });
    await publishDialog.getByText(problem).waitFor();
    await publishDialog.getByText("5 files have no alt text.").first().waitFor();
    await publishDialog.getByRole("button", { name: "Choose files for north-words…" }).click();
    const filesDialog = page.getByRole("dialog", { name: "Files for north-words" });
    await filesDialog.getByText("4 of 5 chosen. Mastodon accepts up to 4 images.").waitFor();
    await checkPage();
    await page.keyboard.press("Escape");
    await filesDialog.waitFor({ state: "detached" });
    assert.equal(await publishDialog.isVisible(), true, "Escape closes only the topmost dialog");
    await publishDialog.getByRole("button", { name: "Choose files for north-words…" }).click();
    await filesDialog.getByRole("checkbox", { name: "5.png" }).check();
    await filesDialog.getByText("5 of 5 chosen. Mastodon accepts up to 4 images.").waitFor();
    await filesDialog.getByRole("checkbox", { name: "1.png" }).uncheck();
    await filesDialog.getByRole("button", { name: "Save" }).click();
    await filesDialog.waitFor({ state: "detached" });
    await publishDialog.getByRole("checkbox", { name: "north-words", checked: true }).waitFor();
    await publishDialog.getByText(problem).waitFor({ state: "detached" });
    // The button that opened the other dialog has disappeared with the problem.
    await publishDialog.and(page.locator(":focus-within")).waitFor();
    await publishDialog.getByRole("button", { name: "Cancel" }).click();

    const readFiles = async (): Promise<string[] | undefined> => {
      const { variants, assets, publications } = await getPost(fixture.service.deps, owner, { postId });
      assert.deepEqual(publications, [], "saving the files must not publish the post");
      return variants[0]?.assetIds?.map((id) => assets.find((asset) => asset.id === id)?.filename ?? "");
    };
    assert.deepEqual(await readFiles(), ["2.png", "3.png", "4.png", "5.png"]);
    await page.getByText("This account gets 4 of 5 files.").waitFor();
    await page.getByRole("tab", { name: /^north-words 4 of 5 files/ }).waitFor();
    await account.getByText("Can publish", { exact: true }).waitFor();
    await account.getByText("Mastodon 4 of 5 files").waitFor();
    await page.getByRole("textbox", { name: "Text for north-words" }).fill("Boats, for Mastodon");
    await page.getByText("This account has its own text.").waitFor();
    await page.getByRole("button", { name: "Choose files for north-words…" }).first().click();
    await filesDialog.getByRole("checkbox", { name: "All files" }).check();
    await filesDialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("This account gets all 5 files.").waitFor();
    assert.equal(await readFiles(), undefined);
    await page
      .getByRole("textbox", { name: "Text for north-words" })
      .and(page.getByText("Boats, for Mastodon"))
      .waitFor();
  });

  test("a scheduled publication names its platform and files, and its account can't be chosen again", async () => {
    const { deps } = fixture.service;
    const image = await createTwoColors();
    const postId = await addPost("Boats", [
      ["1.png", image],
      ["2.png", image],
    ]);
    const { assets } = await getPost(deps, owner, { postId });
    const connectionId = await newConnection(deps, owner, "north-sand", "sandbox");
    await updatePost(deps, owner, { postId, variants: [{ connectionId, assetIds: [assets[1]?.id ?? ""] }] });
    const at = new Date(Date.now() + 86_400_000).toISOString();
    await publishPost(deps, owner, { postId, connectionIds: [connectionId], at });
    await openPreview(postId, "north-sand", "Sandbox");
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Sandbox", { exact: true }).waitFor();
    await row.getByText("1 of 2 files", { exact: true }).waitFor();
    await checkPage();

    await newConnection(deps, owner, "north-more", "mastodon");
    await page.reload();
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish post Harbour" });
    const others = dialog.getByRole("button", {
      name: "1 account can’t take this post, 1 already has a publication",
    });
    await others.waitFor();
    assert.equal(await dialog.getByRole("checkbox", { name: /^north-/ }).count(), 2);
    assert.equal(await dialog.getByText("1.png and 2.png have no alt text.").count(), 1, "once for both accounts");
    await others.click();
    assert.ok(await dialog.getByRole("checkbox", { name: "north-sand" }).isDisabled());
    assert.equal(await dialog.getByRole("button", { name: "Choose files for north-sand…" }).count(), 0);
    await checkPage();
  });

  test("approvals show images as thumbnails that a click enlarges, and the same content only once", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Boats", [["poster.png", await createPoster()]]);
    const connectionIds: string[] = [];
    for (const account of ["north-first", "north-second", "north-third"])
      connectionIds.push(await newConnection(deps, owner, account, "sandbox"));
    await updatePost(deps, owner, { postId, variants: [{ connectionId: connectionIds[1] ?? "", body: "Ships" }] });
    await publishPost(deps, owner, { postId, connectionIds, propose: true });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/publications/approvals`);
    const proposals = page.getByRole("list", { name: "Waiting for approval" }).locator("> li");
    const findProposal = (text: string) => proposals.filter({ has: page.locator("dd", { hasText: text }) });
    await findProposal("north-second").getByRole("group", { name: "Text" }).getByText("Ships").waitFor();
    const summary = page.getByText(/^Same content as for north-(first|third) above$/);
    await summary.waitFor();
    const fileLists = page.getByRole("list", { name: "Files" }).filter({ visible: true });
    await waitUntil(async () => (await fileLists.count()) === 2, { description: "2 lists of files" });
    await summary.click();
    await waitUntil(async () => (await fileLists.count()) === 3, { description: "3 lists of files" });

    const proposal = findProposal("north-second");
    await proposal.getByText("No alt text").waitFor();
    const thumbnail = await proposal.locator("[aria-busy=false] img").boundingBox();
    await checkPage();
    await proposal.getByRole("button", { name: "Enlarge poster.png" }).click();
    const dialog = page.getByRole("dialog", { name: "poster.png" });
    const image = await dialog.locator("[aria-busy=false] img").boundingBox();
    assert.ok(image && thumbnail && image.width > 2 * thumbnail.width, `${thumbnail?.width} px, ${image?.width} px`);
    const frame = await dialog.locator("[aria-busy=false]").boundingBox();
    assert.equal(frame?.width, image.width, "the frame is not wider than the image");
    await checkPage();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("lists every image with its problems, and opens the details of one without alt text", async () => {
    const damagedImage = (await createTwoColors()).subarray(0, 60);
    const postId = await addPost("Boats", [
      ["plain.png", await createTwoColors()],
      ["damaged.png", damagedImage],
    ]);
    const post = await openPreview(postId, "north-words", "Mastodon");
    await post.locator("[aria-busy=false] img").waitFor();
    const files = page.getByRole("list", { name: "Files for north-words" });
    await files.getByText("damaged.png", { exact: true }).waitFor();
    await files.getByRole("listitem").filter({ hasText: "plain.png" }).getByText("No alt text").waitFor();

    await page.getByText("plain.png and damaged.png have no alt text.").first().waitFor();
    const fileButton = page.getByRole("button", { name: "plain.png", exact: true });
    await fileButton.press("Enter");
    const dialog = page.getByRole("dialog", { name: "plain.png" });
    await dialog.getByLabel("Alt text").fill("Two colors");
    await dialog.getByRole("button", { name: "Save" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await fileButton.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "damaged.png", exact: true }).waitFor();
  });
});

const createPoster = async (): Promise<Buffer> =>
  sharp({ create: { width: 1200, height: 1000, channels: 3, background: "#ff0000" } })
    .png()
    .toBuffer();

/** 1200 × 400 pixels, red on the left and blue on the right. */
const createTwoColors = async (): Promise<Buffer> =>
  sharp({ create: { width: 1200, height: 400, channels: 3, background: "#ff0000" } })
    .composite([
      { input: { create: { width: 600, height: 400, channels: 3, background: "#0000ff" } }, left: 600, top: 0 },
    ])
    .removeAlpha()
    .png()
    .toBuffer();
