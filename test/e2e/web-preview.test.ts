import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { assertAccessible, findViolations } from "../support/axe.ts";
import { getBox, getBoxes } from "../support/boxes.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { refetch } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { plannedDay, toIso, useStudioPages } from "../support/studio-pages.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("the preview per account in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages();
  let page: Page;
  beforeEach(async () => {
    await newConnection(pages.deps, pages.owner, "north-images", "instagram");
    await newConnection(pages.deps, pages.owner, "north-words", "mastodon");
  });

  const addPost = async (body: string, images: Record<string, Buffer> = {}): Promise<string> => {
    const { deps, owner } = pages;
    const { id: postId } = await createPost(deps, owner, { title: "Harbour", body });
    for (const [filename, bytes] of Object.entries(images)) {
      const upload = { kind: "image", mimeType: "image/png", base64: bytes.toString("base64"), filename } as const;
      const { assetId } = await uploadAssetInline(deps, owner, upload);
      await attachAsset(deps, owner, { postId, assetId });
    }
    return postId;
  };
  const openPreview = async (postId: string, account: string, platform: string) => {
    page = await pages.open(`posts/${postId}`);
    return openTab(account, platform);
  };
  const openTab = async (account: string, platform: string) => {
    await page.getByRole("tab", { name: new RegExp(`^${account}`) }).click();
    return page.getByRole("group", { name: `Post on ${platform}` });
  };
  const getFiles = (account: string) => page.getByRole("list", { name: `Files for ${account}` });
  const readCrops = async (postId: string) => (await pages.readPost(postId)).crops;
  const getAccount = (label: string) =>
    page.getByRole("list", { name: "Accounts" }).getByRole("listitem").filter({ hasText: label });
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
    pages.owner = await newStudio(pages.deps, pages.owner);
    for (const number of [1, 2]) await newConnection(pages.deps, pages.owner, `tight-${number}`, "bluesky");
    for (const number of [1, 2, 3, 4]) await newConnection(pages.deps, pages.owner, `roomy-${number}`, "mastodon");
    page = await pages.open(`posts/${await addPost("x".repeat(400))}`);
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
    const postId = await addPost("See https://harbour.example. #boats", { "wide.png": await createTwoColors() });
    const post = await openPreview(postId, "north-images", "Instagram");
    await post.getByText("#boats", { exact: true }).waitFor();
    assert.equal(await post.getByRole("link").count(), 0, "Instagram shows URLs as text");
    const files = getFiles("north-images");
    await files.getByText("wide.png will be converted to JPEG and padded, 1200 × 629.").waitFor();
    assert.deepEqual((await readRendition()).size, [1200, 629]);
    await files.getByRole("radio", { name: "Crop" }).check();
    const slider = files.getByRole("slider", { name: "Crop position of wide.png" });
    await slider.focus();
    for (const [key, description, color] of [
      ["End", "right edge", "blue"],
      ["Home", "left edge", "red"],
    ] as const) {
      await slider.press(key);
      await files.getByText(`Saved. Cropped: ${description}.`).waitFor();
      assert.deepEqual(await readRendition(), { size: [764, 400], color });
    }
    await assertAccessible(page);

    await slider.scrollIntoViewIfNeeded();
    const { x, y } = await getBox(slider);
    await page.mouse.move(x + 20, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + 1000, y + 20, { steps: 4 });
    await page.mouse.up();
    await files.getByText("Saved. Cropped: right edge.").waitFor();
    assert.equal((await readRendition()).color, "blue");
    const crops = await readCrops(postId);
    assert.deepEqual(
      crops?.map((crop) => [crop.platform, crop.x]),
      [["instagram", 1]],
    );
    await files.getByRole("button", { name: "Reset the fit of wide.png" }).click();
    await files.getByText("Saved. Padded.").waitFor();
    assert.deepEqual((await readRendition()).size, [1200, 629]);
    assert.equal(await readCrops(postId), undefined);
  });

  test("saves a choice after the previous one, so that the last choice wins", async () => {
    const postId = await addPost("Boats", { "wide.png": await createTwoColors() });
    await openPreview(postId, "north-images", "Instagram");
    const files = getFiles("north-images");
    const firstRequest = Promise.withResolvers<void>();
    const hold = Promise.withResolvers<void>();
    const choices: unknown[] = [];
    await page.route("**/crop", async (route) => {
      choices.push(route.request().method());
      firstRequest.resolve();
      if (choices.length === 1) await hold.promise;
      await route.continue();
    });
    await files.getByRole("radio", { name: "Crop" }).check();
    await firstRequest.promise;
    await files.getByRole("radio", { name: "Pad" }).check();
    await refetch(page, new RegExp(`/posts/${postId}$`));
    assert.equal(choices.length, 1, "the second choice waits for the first");
    hold.resolve();
    await files.getByText("Saved. Padded.").waitFor();
    assert.equal(choices.length, 2);
    assert.equal(await readCrops(postId), undefined);
  });

  test("shows every slide in the frame of the first one, whose room is reserved, and moves the carousel with buttons", async () => {
    const wide = await createTwoColors();
    const square = await sharp(wide).resize(400, 400).png().toBuffer();
    const postId = await addPost("Boats", { "wide.png": wide, "square.png": square });
    page = await pages.open("posts");
    const hold = Promise.withResolvers<void>();
    await page.route("**/renditions/**", (route) => hold.promise.then(() => route.continue()));
    await pages.goTo(page, `posts/${postId}`);
    const post = await openTab("north-images", "Instagram");
    const slides = post.getByRole("list", { name: "Carousel of 2 files" }).getByRole("listitem");
    await slides.first().getByText("Converting…").waitFor();
    const reserved = await getBox(slides.first().locator("[aria-busy=true] img"));
    hold.resolve();
    await slides.nth(1).locator("[aria-busy=false]").waitFor();
    const image = await getBox(slides.first().locator("[aria-busy=false] img"));
    assert.ok(Math.abs(image.height - reserved.height) <= 1, JSON.stringify({ image, reserved }));
    for (const { width, height } of await getBoxes(slides))
      assert.ok(Math.abs(width / height - 1200 / 629) < 0.02, `${width} × ${height}`);
    await post.getByText("1/2", { exact: true }).waitFor();
    const next = post.getByRole("button", { name: "Next file" });
    await next.press("Enter");
    await post.getByText("2/2", { exact: true }).waitFor();
    await next.and(page.locator(":focus[aria-disabled=true]")).waitFor();
    await post.getByRole("button", { name: "Previous file" }).click();
    await post.getByText("1/2", { exact: true }).waitFor();
    await assertAccessible(page);
  });

  test("folds a long text where Mastodon folds it, and says in place what is rejected", async () => {
    const images = { "plain.png": await createTwoColors(), "damaged.png": (await createTwoColors()).subarray(0, 60) };
    const postId = await addPost("A line\n".repeat(80).trim(), images);
    page = await pages.open("posts");
    expectFailure(page.context(), 409, /\/renditions\/plc_\w+$/);
    expectFailure(page.context(), 404, /^\/files\/thumb\//);
    await pages.goTo(page, `posts/${postId}`);
    const post = await openTab("north-words", "Mastodon");
    await post.getByText("Can’t publish").waitFor();
    await post.locator("[aria-busy=false] img").waitFor();
    await getFiles("north-words").getByText("can’t be opened").waitFor();
    const tile = page.getByRole("button", { name: /^damaged.png, .*, can’t be opened$/ });
    await tile.waitFor();
    assert.equal(await tile.locator("img").count(), 0, "the thumbnail would be black");
    const lengthProblem = page.getByText(/^Warning: The text has 559 characters/).filter({ visible: true });
    await lengthProblem.waitFor();
    assert.equal(await post.filter({ has: lengthProblem }).count(), 0, "a problem is not a part of the post");
    const text = post.getByText("A line");
    const { height } = await getBox(text);
    await post.getByRole("button", { name: "See more" }).click();
    await post.getByRole("button", { name: "See less" }).waitFor();
    assert.ok((await getBox(text)).height > height);
    await assertAccessible(page);

    await getFiles("north-words")
      .getByRole("listitem")
      .filter({ hasText: "plain.png" })
      .getByText("No alt text")
      .waitFor();
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

  test("says what a new post needs, and shows it as a problem once the post has text", async () => {
    await openPreview(await addPost(""), "north-images", "Instagram");
    const account = getAccount("north-images");
    await account.getByText("Add at least 1 file.").waitFor();
    assert.equal(await account.locator(".text-danger").count(), 0);
    await page.getByRole("tab", { name: "All accounts" }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Boats");
    await account.locator(".text-danger").getByText("Add at least 1 file.").waitFor();
  });

  test("chooses fewer files for an account, from the dialog and from the post", async () => {
    const image = await createTwoColors();
    const names = ["1.png", "2.png", "3.png", "4.png", "5.png"];
    const postId = await addPost("Boats", Object.fromEntries(names.map((name) => [name, image])));
    await openPreview(postId, "north-words", "Mastodon");
    const problem = "The post has 5 images; most servers allow up to 4, so this account’s server may reject the post.";
    const account = getAccount("north-words");
    await account.getByText(`Warning: ${problem}`).waitFor();
    assert.equal(await account.getByText("Can publish", { exact: true }).count(), 0);
    await page.getByRole("tab", { name: /^north-words .*has a warning$/ }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    const publishDialog = page.getByRole("dialog", { name: "Publish post Harbour" });
    const filesDialog = page.getByRole("dialog", { name: "Files for north-words" });
    const chooseFiles = publishDialog.getByRole("button", { name: "Choose files for north-words…" });
    await publishDialog.getByText(problem).waitFor();
    await publishDialog.getByText("5 files have no alt text.").first().waitFor();
    await chooseFiles.click();
    await filesDialog.getByText("4 of 5 chosen. Mastodon accepts up to 4 images.").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await filesDialog.waitFor({ state: "detached" });
    assert.equal(await publishDialog.isVisible(), true, "Escape closes only the topmost dialog");
    await chooseFiles.click();
    await filesDialog.getByRole("checkbox", { name: "5.png" }).check();
    await filesDialog.getByText("5 of 5 chosen. Mastodon accepts up to 4 images.").waitFor();
    await filesDialog.getByRole("checkbox", { name: "1.png" }).uncheck();
    await filesDialog.getByRole("button", { name: "Save" }).click();
    await publishDialog.getByRole("checkbox", { name: "north-words", checked: true }).waitFor();
    await publishDialog.getByText(problem).waitFor({ state: "detached" });
    // The button that opened the other dialog has disappeared with the problem.
    await publishDialog.and(page.locator(":focus-within")).waitFor();
    await publishDialog.getByRole("button", { name: "Cancel" }).click();

    const readFiles = async (): Promise<string[] | undefined> => {
      const { variants, assets, publications } = await pages.readPost(postId);
      assert.deepEqual(publications, [], "saving the files must not publish the post");
      return variants[0]?.assetIds?.map((id) => assets.find((asset) => asset.id === id)?.filename ?? "");
    };
    assert.deepEqual(await readFiles(), names.slice(1));
    await page.getByText("This account gets 4 of 5 files.").waitFor();
    await page.getByRole("tab", { name: /^north-words 4 of 5 files/ }).waitFor();
    await account.getByText("Can publish", { exact: true }).waitFor();
    const field = page.getByRole("textbox", { name: "Text for north-words" });
    await field.fill("Boats, for Mastodon");
    await page.getByText("This account has its own text.").waitFor();
    await page.getByRole("button", { name: "Choose files for north-words…" }).first().click();
    await filesDialog.getByRole("checkbox", { name: "All files" }).check();
    await filesDialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("This account gets all 5 files.").waitFor();
    assert.equal(await readFiles(), undefined);
    assert.equal(await field.inputValue(), "Boats, for Mastodon");
  });

  test("a scheduled publication names its platform and files, and its account can't be chosen again", async () => {
    const { deps, owner } = pages;
    const image = await createTwoColors();
    const postId = await addPost("Boats", { "1.png": image, "2.png": image });
    const { assets } = await pages.readPost(postId);
    const connectionId = await newConnection(deps, owner, "north-sand", "sandbox");
    await newConnection(deps, owner, "north-more", "mastodon");
    await updatePost(deps, owner, { postId, variants: [{ connectionId, assetIds: [assets[1]?.id ?? ""] }] });
    await publishPost(deps, owner, { postId, connectionIds: [connectionId], at: toIso(`${plannedDay}T10:00`) });
    await openPreview(postId, "north-sand", "Sandbox");
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Sandbox", { exact: true }).waitFor();
    await row.getByText("1 of 2 files", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish post Harbour" });
    const others = dialog.getByRole("button", { name: "1 account can’t take this post, 1 already has a publication" });
    await others.waitFor();
    assert.equal(await dialog.getByRole("checkbox", { name: /^north-/ }).count(), 2);
    assert.equal(await dialog.getByText("1.png and 2.png have no alt text.").count(), 1, "once for both accounts");
    await others.click();
    assert.ok(await dialog.getByRole("checkbox", { name: "north-sand" }).isDisabled());
    assert.equal(await dialog.getByRole("button", { name: "Choose files for north-sand…" }).count(), 0);
    await assertAccessible(page);
  });

  test("approvals show images as thumbnails that a click enlarges, and the same content only once", async () => {
    const { deps, owner } = pages;
    const postId = await addPost("Boats", { "poster.png": await createPoster() });
    const connectionIds: string[] = [];
    for (const account of ["north-first", "north-second", "north-third"])
      connectionIds.push(await newConnection(deps, owner, account, "sandbox"));
    await updatePost(deps, owner, { postId, variants: [{ connectionId: connectionIds[1] ?? "", body: "Ships" }] });
    await publishPost(deps, owner, { postId, connectionIds, propose: true });
    page = await pages.open("publications/approvals");
    const proposals = page.getByRole("list", { name: "Waiting for approval" }).locator("> li");
    const proposal = proposals.filter({ has: page.locator("dd", { hasText: "north-second" }) });
    await proposal.getByRole("group", { name: "Text" }).getByText("Ships").waitFor();
    const summary = page.getByText(/^Same content as for north-(first|third) above$/);
    const fileLists = page.getByRole("list", { name: "Files" }).filter({ visible: true });
    await waitUntil(async () => (await fileLists.count()) === 2, { description: "2 lists of files" });
    await summary.click();
    await waitUntil(async () => (await fileLists.count()) === 3, { description: "3 lists of files" });

    await proposal.getByText("No alt text").waitFor();
    const thumbnail = await getBox(proposal.locator("[aria-busy=false] img"));
    await assertAccessible(page);
    await proposal.getByRole("button", { name: "Enlarge poster.png" }).click();
    const dialog = page.getByRole("dialog", { name: "poster.png" });
    const image = await getBox(dialog.locator("[aria-busy=false] img"));
    assert.ok(image.width > 2 * thumbnail.width, `${thumbnail.width} px, ${image.width} px`);
    const frame = await getBox(dialog.locator("[aria-busy=false]"));
    assert.equal(frame.width, image.width, "the frame is not wider than the image");
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
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
