import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { findViolations } from "../support/axe.ts";
import { getBox, getBoxes } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdFetches, holdRequests, resizeWindow, waitForFit } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { phone, useStudioPages } from "../support/studio-pages.ts";
import { waitUntil } from "../support/wait-until.ts";

const getOverflow = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }): number =>
  scrollWidth - clientWidth;

describe("the post editor in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["blue-harbour"] });
  beforeEach(() => newConnection(pages.deps, pages.owner, "north-words", "mastodon"));

  const addPost = (title: string, filenames: readonly string[] = []) => pages.addPost(title, { filenames });
  const openPost = async (postId: string, options: Parameters<typeof pages.open>[1] = {}): Promise<Page> => {
    const page = await pages.open(`posts/${postId}`, options);
    await getText(page).waitFor();
    // The accounts load later and move what is below their tabs.
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor();
    return page;
  };
  const getText = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });
  const leave = (page: Page) => page.getByRole("link", { name: "Posts", exact: true }).first().click();

  test("says that the accounts are loading, or that they can't be loaded (WEB-12)", async () => {
    const page = await openPost(await addPost("Slow"));
    const { firstRequest, release } = await holdRequests(page, "**/platforms?*", "GET");
    await page.reload();
    await firstRequest;
    const card = page.getByRole("region", { name: "Publishing" });
    const loading = card.getByText("Loading…");
    await loading.waitFor();
    release();
    await card.getByRole("button", { name: "Text and preview for blue-harbour" }).waitFor();
    assert.equal(await loading.count(), 0);
    await page.route("**/platforms?*", (route) => route.fulfill({ status: 403, json: {} }));
    await page.reload();
    await card.getByRole("button", { name: "Try again" }).waitFor();
    assert.equal(await loading.count(), 0);
  });

  test("saves what was typed during a save, and says so, even if the user then leaves the page (WEB-6)", async () => {
    const postId = await addPost("Winter");
    const page = await openPost(postId);
    await page.getByText("Saved", { exact: true }).waitFor();
    const { firstRequest, release } = await holdRequests(page, `**/posts/${postId}`, "PATCH");
    await page.getByLabel("Status").selectOption("ready");
    await firstRequest;
    await page.getByText("Saving…", { exact: true }).waitFor();
    await getText(page).fill("First and second");
    await leave(page);
    release();
    await getText(page).waitFor({ state: "detached" });
    const { status, body } = await pages.readPost(postId);
    assert.deepEqual([status, body], ["ready", "First and second"]);
  });

  test("Ctrl+Z takes back words as in a plain field, also after autosave and a merge (WEB-6)", async () => {
    const postId = await addPost("Tide");
    const page = await openPost(postId);
    await page.getByRole("button", { name: "Comments" }).first().click();
    const title = page.getByRole("textbox", { name: "Title" });
    const comment = page.getByRole("textbox", { name: "Add a comment" });
    for (const field of [title, getText(page), comment]) {
      const before = await field.inputValue();
      await field.press("End");
      await field.pressSequentially(" rises at noon");
      await undoTo(field, before);
    }
    await page.getByRole("tab", { name: /^blue-harbour/ }).click();
    const accountText = page.getByRole("textbox", { name: "Text for blue-harbour" });
    const sharedText = await accountText.inputValue();
    await accountText.press("End");
    await accountText.press("!"); // from now on, the account has its own text
    await page.getByRole("button", { name: "Use post’s text for blue-harbour" }).waitFor();
    await accountText.pressSequentially(" Own text");
    await undoTo(accountText, sharedText);
    await page.getByRole("tab", { name: "All accounts" }).click();

    const field = getText(page);
    await field.press("Control+a");
    await field.pressSequentially("First line\nLast line");
    await waitUntil(async () => (await pages.readPost(postId)).body.includes("Last line"), { description: "a save" });
    await updatePost(pages.deps, pages.owner, { postId, body: "First line, merged\nLast line" });
    await waitUntil(async () => (await field.inputValue()).includes("merged"), { description: "the merge" });
    await field.pressSequentially("!");
    assert.equal(await field.inputValue(), "First line, merged\nLast line!", "the caret stays");
    await field.press("Control+z");
    assert.equal(await field.inputValue(), "First line, merged\nLast line");
    await undoTo(field, "Tide."); // the history goes back to before the merge
  });

  /** What was typed is a few steps, not one per letter: a step ends where the page shows that it saves. */
  async function undoTo(field: Locator, text: string): Promise<void> {
    for (let step = 0; step < 8 && (await field.inputValue()) !== text; step++) await field.press("Control+z");
    assert.equal(await field.inputValue(), text);
  }

  test("text that was typed after the session expired is kept, and saved after the next sign-in (WEB-6)", async () => {
    const postId = await addPost("Fog");
    const page = await openPost(postId);
    let isExpired = true;
    await page.route(`**/posts/${postId}`, (route) =>
      isExpired && route.request().method() === "PATCH" ? route.fulfill({ status: 401, json: {} }) : route.continue(),
    );
    const signIn = page.waitForRequest(/\/login\?return_to=/);
    await page.getByRole("tab", { name: /^blue-harbour/ }).click();
    await page.getByRole("textbox", { name: "Text for blue-harbour" }).fill("Own text");
    await page.getByRole("tab", { name: "All accounts" }).click();
    await getText(page).fill("The fog lifts.");
    assert.match((await signIn).url(), new RegExp(postId));
    isExpired = false; // the sign-in page returns signed-in users
    assert.equal((await pages.readPost(postId)).body, "Fog.");
    await updatePost(pages.deps, pages.owner, { postId, title: "Morning fog" });
    await waitUntil(
      async () => {
        const { title, body, variants } = await pages.readPost(postId);
        return title === "Morning fog" && body === "The fog lifts." && variants[0]?.body === "Own text";
      },
      { description: "both texts are saved" },
    );
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal(await getText(page).inputValue(), "The fog lifts.");
    assert.deepEqual(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('edits'))"), []);
  });

  test("warns of Markdown that platforms show as it is typed, and removes it with one click (PLATFORM-12)", async () => {
    const postId = await addPost("Bread");
    await updatePost(pages.deps, pages.owner, { postId, body: "# News\n**Rye** at [the mill](https://mill.example)" });
    const page = await openPost(postId);
    await page.getByText("Readers see these characters as they are: **bold**, [text](url), # heading").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("button", { name: "Remove formatting" }).click();
    assert.equal(await getText(page).inputValue(), "News\nRye at the mill (https://mill.example)");
    await waitUntil(async () => (await pages.readPost(postId)).body.startsWith("News"), { description: "saved" });
  });

  test("merges and saves edits when another member changes the post while the user leaves (WEB-6)", async () => {
    const postId = await addPost("Spring");
    const page = await openPost(postId);
    let isChanged = false;
    await page.route(`**/posts/${postId}`, async (route) => {
      if (route.request().method() === "PATCH" && !isChanged) {
        isChanged = true;
        await updatePost(pages.deps, pages.owner, { postId, title: "Spring tide" });
      }
      return route.continue();
    });
    await getText(page).fill("The harbour in spring.");
    await leave(page);
    await getText(page).waitFor({ state: "detached" });
    const { title, body } = await pages.readPost(postId);
    assert.deepEqual([title, body], ["Spring tide", "The harbour in spring."]);
  });

  test("each account has a tab with its character count, own text and preview, saved while the user types (PUB-6, PUB-20, WEB-6)", async () => {
    const postId = await addPost("Vases");
    const page = await openPost(postId);
    const [connectionId = ""] = pages.connectionIds;
    const waitForVariant = (body: string | undefined) =>
      waitUntil(async () => (await pages.readPost(postId)).variants[0]?.body === body, { description: `${body}` });
    const tab = page.getByRole("tab", { name: /^blue-harbour/ });
    await tab.getByText("6 / 280").waitFor();
    await tab.click();
    const field = page.getByRole("textbox", { name: "Text for blue-harbour" });
    const usePostText = page.getByRole("button", { name: "Use post’s text for blue-harbour" });
    await field.fill("Vases, for the harbour.");
    await tab.getByText("23 / 280").waitFor();
    await page.getByRole("group", { name: "Post on Sandbox" }).getByText("Vases, for the harbour.").waitFor();
    await waitForVariant("Vases, for the harbour.");
    assert.deepEqual(await findViolations(page), []);

    // Another person changes the same text while the user types.
    const showPost = await holdFetches(page, "**/posts/*");
    const variants = [{ connectionId, body: "Vases, for everyone." }];
    await updatePost(pages.deps, pages.owner, { postId, variants });
    const conflictResponse = page.waitForResponse((response) => response.status() === 409);
    await field.fill("Vases, for the whole harbour.");
    await conflictResponse;
    showPost();
    const alert = page.getByRole("alert").filter({ hasText: "changed while you were editing" });
    await alert.waitFor();
    await page.getByText("Not saved", { exact: true }).waitFor();
    await alert.getByRole("button", { name: "Keep mine" }).click();
    await waitForVariant("Vases, for the whole harbour.");
    await usePostText.click();
    await waitForVariant(undefined);
    await waitUntil(async () => (await field.inputValue()) === "Vases.", { description: "the post's text" });

    // The user takes an edit back while it is being saved.
    const { firstRequest, release } = await holdRequests(page, "**/posts/*", "PATCH");
    await field.fill("Vases!");
    await firstRequest;
    await usePostText.click();
    const firstResponse = page.waitForResponse((response) => response.request().method() === "PATCH");
    release();
    assert.equal((await (await firstResponse).json()).variants.length, 1);
    await waitForVariant(undefined);
    await waitUntil(async () => (await field.inputValue()) === "Vases.", { description: "the post's text" });
  });

  test("plays a video, and the Content Security Policy allows it", async () => {
    const postId = await addPost("Video");
    const context = await pages.fixture.openContext(pages.owner);
    const page = await context.newPage();
    await pages.goTo(page, `posts/${postId}`);
    const base64 = await recordVideo(page);
    const upload = { kind: "video", mimeType: "video/webm", base64, filename: "clip.webm" } as const;
    const { assetId } = await uploadAssetInline(pages.deps, pages.owner, upload);
    await attachAsset(pages.deps, pages.owner, { postId, assetId });
    await page.getByRole("button", { name: "Play clip.webm" }).click();
    const player = page.getByRole("dialog").locator("video");
    await player.waitFor();
    assert.equal(await player.getAttribute("controls"), "");
    // Not waitForFunction, whose later attempts the Content Security Policy blocks.
    const canPlay = () => page.evaluate<boolean>("document.querySelector('dialog video').readyState >= 2");
    await waitUntil(canPlay, { description: "the video can play" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Play clip.webm" }).and(page.locator(":focus")).waitFor();
    await context.close();
  });

  test("on a phone, status and next action are first and stay in view, and all controls suit fingers (WEB-12)", async () => {
    const body = "A line of text.\n\n".repeat(80).trim();
    const filenames = ["prices.pdf", ...[1, 2, 3, 4].map((number) => `a-long-name-for-a-file-${number}.jpg`)];
    const postId = await pages.addPost("A title that is much longer than most titles of posts", { filenames, body });
    const page = await openPost(postId, { device: "phone" });
    const nextAction = page.getByRole("button", { name: "Mark ready" });
    await nextAction.waitFor(); // it is above the title
    const title = await getBox(page.getByRole("textbox", { name: "Title" }));
    const areInView = async () =>
      (await getBoxes(page.getByLabel("Status").or(nextAction))).every((box) => box.y >= 0 && box.bottom <= title.y);
    await waitUntil(areInView, { description: "above the title" });
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await waitUntil(areInView, { description: "in view at the end of the page" });
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Back to posts" }).waitFor();
    await page.getByRole("menuitem", { name: "Comments" }).click();
    await page.getByRole("dialog", { name: "Comments" }).getByRole("button", { name: "Close" }).click();
    await nextAction.click();
    await page.getByRole("button", { name: "Publish…" }).waitFor();
    await waitForFit(page);
    assert.deepEqual(await findViolations(page), []);
    const smallTargets = await page.evaluate(`[...document.querySelectorAll("main button, main select")]
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 0 && (height < 43.5 || width < 43.5))
      .map(([element]) => element.outerHTML.slice(0, 120))`);
    assert.deepEqual(smallTargets, []);
    await page.getByRole("tab", { name: /^north-words/ }).click();
    await page.getByRole("group", { name: "Post on Mastodon" }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await waitForFit(page);
  });

  test("the history is beside the post on a desktop, above it on a tablet, and covers a phone (HIST-1, WEB-12)", async () => {
    await addPost("Panel");
    const page = await pages.open("posts");
    await page.getByRole("link", { name: "Panel" }).click();
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor(); // the preview beside the text needs the accounts
    const toggle = page.getByRole("button", { name: "History" });
    await toggle.press("Enter");
    const panel = page.getByRole("complementary", { name: "History" });
    await panel.getByText("Ada Berg created the post").waitFor();
    assert.equal(await toggle.getAttribute("aria-expanded"), "true");
    assert.ok((await getBox(panel)).x >= (await getBox(getText(page))).right, "beside the text");
    const header = page.getByRole("combobox", { name: "Status" }).locator("xpath=../..");
    const { height } = await getBox(header);
    const assertHeader = async (windowWidth: number): Promise<void> => {
      await resizeWindow(page, { width: windowWidth, height: 900 });
      assert.equal(await header.evaluate(getOverflow), 0, "the header fits");
      assert.equal((await getBox(header)).height, height, "the header has one row");
    };
    await assertHeader(1200);
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    await toggle.and(page.locator(":focus")).waitFor();

    const dialog = page.getByRole("dialog", { name: "History" });
    await resizeWindow(page, { width: 1180, height: 900 });
    await toggle.press("Enter");
    await dialog.waitFor();
    await assertHeader(880);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await toggle.and(page.locator(":focus")).waitFor();

    await resizeWindow(page, phone);
    await toggle.click();
    await dialog.getByText("Ada Berg created the post").waitFor();
    const box = await getBox(dialog);
    assert.deepEqual([box.width, box.height], [phone.width, phone.height]);
    assert.deepEqual(await findViolations(page), []);
    await page.evaluate("history.back()");
    await dialog.waitFor({ state: "hidden" });
    assert.match(page.url(), /\/posts\/pst_/);
  });
});

/** A short video of a moving square, recorded by the browser. */
const recordVideo = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => {
    const canvas = document.createElement("canvas");
    const [width, height] = [(canvas.width = 160), (canvas.height = 120)];
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm;codecs=vp8" });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.start();
    for (let frame = 0; frame < 36; frame++) {
      context.fillStyle = frame % 2 ? "teal" : "orange";
      context.fillRect(frame * 3, 20, width / 3, height / 2);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  })()`);
