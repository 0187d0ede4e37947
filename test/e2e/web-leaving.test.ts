import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { listTrash } from "#domain/trash/trash.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { refetch, waitForFit } from "../support/page-waits.ts";
import { jpeg } from "../support/samples.ts";
import { phone, plannedDay, useStudioPages } from "../support/studio-pages.ts";
import { waitUntil } from "../support/wait-until.ts";

const at = `${plannedDay}T10:00`;

describe("leaving and removing posts in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour", "quay"] });

  const clickInMenu = async (page: Page, button: string, item: string) => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  const openPost = async (page: Page, title: string) => {
    await page.getByRole("link", { name: title, exact: true }).click();
    await page.getByRole("textbox", { name: "Title" }).waitFor();
  };
  const goToPosts = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Posts" }).click();
  const listTrashedTitles = async () =>
    (await listTrash(pages.deps, pages.owner, { limit: 20 })).items.map((item) => ("title" in item ? item.title : ""));
  const listStates = async (...postIds: string[]) =>
    (await Promise.all(postIds.map((postId) => pages.readPlans(postId)))).flat().map((plan) => plan.split(" ")[1]);

  /** Holds the start of all uploads until `release` lets them start or `reject` rejects them. */
  async function holdUploads(page: Page) {
    const hold = Promise.withResolvers<"released" | "rejected">();
    await page.route("**/api/uploads/files", async (route) => {
      if ((await hold.promise) === "released") return route.continue();
      const problem = { code: "unsupported_type", detail: "This file is not an image.", hint: "" };
      return route.fulfill({ status: 415, json: problem });
    });
    const buffer = await jpeg();
    return {
      release: () => hold.resolve("released"),
      reject: () => hold.resolve("rejected"),
      upload: async (name: string) => {
        const start = page.waitForRequest("**/api/uploads/files");
        await page.locator("input[type=file]").first().setInputFiles({ name, mimeType: "image/jpeg", buffer });
        await start;
        await page.getByRole("button", { name: `Cancel upload of ${name}` }).waitFor();
      },
    };
  }

  test("asks before the user leaves edits that can't be saved, and keeps the post out of the trash (WEB-6, WEB-10)", async () => {
    const postId = await pages.addPost("Tide");
    const page = await pages.open("posts");
    await openPost(page, "Tide");
    const problem = { code: "unavailable", detail: "The database is busy.", hint: "Try again." };
    await page.route(`**/posts/${postId}`, (route) =>
      route.request().method() === "PATCH" ? route.fulfill({ status: 503, json: problem }) : route.continue(),
    );
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    const backLink = page.getByRole("main").getByRole("link", { name: "Posts" });
    await text.fill("High tide at noon.");
    await page.getByRole("link", { name: "Library" }).click();
    await dialog.getByRole("button", { name: "Stay" }).click();
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await page.getByText("Your last edits aren’t saved yet. Try again in a moment.").first().waitFor();
    await backLink.click();
    await dialog.waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Stay" }).click();
    assert.ok(page.url().endsWith(postId));
    assert.equal(await text.inputValue(), "High tide at noon.");
    await backLink.click();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await text.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("history.state.__TSR_index"), 0, "it went back, which restores the position");

    await openPost(page, "Tide");
    await page.unroute(`**/posts/${postId}`);
    await text.fill("Low tide at six.");
    await backLink.click();
    await text.waitFor({ state: "detached" });
    assert.equal((await pages.readPost(postId)).body, "Low tide at six.");
  });

  test("continues uploads while the user is on other pages, and links to them (WEB-10)", async () => {
    await pages.addPost("Second");
    const firstId = await pages.addPost("First");
    const page = await pages.open("posts");
    const postUploads = await holdUploads(page);
    const indicator = page.getByRole("region", { name: "Uploads in the background" });
    await openPost(page, "First");
    await page.getByRole("button", { name: "Next post" }).waitFor();
    await postUploads.upload("fog.jpg");
    assert.equal(await indicator.count(), 0, "the page shows its own uploads");
    await page.keyboard.press("j");
    await indicator.getByRole("link", { name: "Uploading to “First”: 0 %" }).waitFor();
    // The indicator appears before the next post has loaded.
    await waitUntil(async () => (await page.getByRole("textbox", { name: "Title" }).inputValue()) === "Second");
    assert.deepEqual(await findViolations(page), []);
    await page.setViewportSize(phone);
    await waitForFit(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    postUploads.release();
    await page.getByText("All files are uploaded to “First”.").first().waitFor();
    await indicator.waitFor({ state: "detached" });
    const [asset] = (await pages.readPost(firstId)).assets;
    assert.deepEqual([asset?.filename, asset?.status], ["fog.jpg", "ready"]);

    await page.unroute("**/api/uploads/files");
    const libraryUploads = await holdUploads(page);
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("heading", { name: "Library" }).waitFor();
    await libraryUploads.upload("reel.jpg");
    await goToPosts(page);
    await indicator.getByRole("link", { name: "Uploading to the library: 0 %" }).click();
    await page.getByRole("button", { name: "Cancel upload of reel.jpg" }).waitFor();
    await indicator.waitFor({ state: "detached" });
    await goToPosts(page);
    await indicator.waitFor();
    libraryUploads.reject();
    await indicator.getByRole("link", { name: "1 upload to the library failed" }).waitFor();
    await indicator.getByRole("button", { name: "Dismiss uploads to the library" }).click();
    await indicator.waitFor({ state: "detached" });

    await page.unroute("**/api/uploads/files");
    const pausedUploads = await holdUploads(page);
    await openPost(page, "Second");
    for (const name of ["mist.jpg", "rain.jpg"]) await pausedUploads.upload(name);
    await page.getByRole("button", { name: "Pause upload of mist.jpg" }).click();
    await goToPosts(page);
    await indicator.getByRole("link", { name: "Uploading to “Second”" }).waitFor();
    pausedUploads.release();
    await indicator.getByRole("link", { name: "Uploads to “Second” are paused" }).waitFor();
  });

  test("asks before a post moves to the trash while files are uploading to it (WEB-10)", async () => {
    await pages.addPost("Tide");
    const page = await pages.open("posts");
    const { upload } = await holdUploads(page);
    await openPost(page, "Tide");
    await upload("tide.jpg");
    const dialog = page.getByRole("dialog", { name: "Move “Tide” to the trash?" });
    const indicator = page.getByRole("region", { name: "Uploads in the background" });
    await goToPosts(page);
    await indicator.waitFor();
    await clickInMenu(page, "Actions for Tide", "Move to trash");
    await dialog.getByText("Files are still uploading.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await indicator.getByRole("link").click();
    await page.getByRole("button", { name: "Cancel upload of tide.jpg" }).waitFor();
    assert.deepEqual(await listTrashedTitles(), []);
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await dialog.getByText("Files are still uploading.").waitFor();
    await dialog.getByRole("button", { name: "Move to trash" }).click();
    await page.getByText("“Tide” moved to the trash.").first().waitFor();
    assert.deepEqual(await listTrashedTitles(), ["Tide"]);
    await indicator.waitFor({ state: "detached" });
  });

  test("requests no upload link that was withdrawn when the post moved to the trash (WEB-11)", async () => {
    const postId = await pages.addPost("Pier");
    const page = await pages.open("posts");
    await openPost(page, "Pier");
    const file = { name: "pier.jpg", mimeType: "image/jpeg", buffer: await jpeg(60, 40) };
    const fileMenu = page.getByRole("button", { name: "Actions for pier.jpg" });
    await page.locator("input[type=file]").first().setInputFiles(file);
    await fileMenu.waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor({ state: "detached" });
    const rejectedUrls: string[] = [];
    // A request of the post itself can be pending while the post moves to the trash.
    page.on("response", (response) => {
      if (response.status() >= 400 && response.url().includes("/api/uploads")) rejectedUrls.push(response.url());
    });
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await page.getByRole("button", { name: "Undo" }).click();
    await openPost(page, "Pier");
    await fileMenu.waitFor();
    await refetch(page, new RegExp(`/posts/${postId}$`));
    assert.deepEqual(rejectedUrls, []);
  });

  test("cancels what is scheduled before a post moves to the trash, and keeps a post that might already be public (WEB-10)", async () => {
    const postId = await pages.planPost("Mussels", { at });
    const unconfirmedId = await pages.planPost("Rope", { at, connectionIds: pages.connectionIds.slice(0, 1) });
    await pages.changePublications(unconfirmedId, { state: "unconfirmed" });
    const page = await pages.open(`posts/${unconfirmedId}`);
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await page.getByText("Confirm first whether this post was published to harbour").first().waitFor();
    assert.ok(page.url().endsWith(unconfirmedId));

    await pages.goTo(page, `posts/${postId}`);
    await clickInMenu(page, "Actions for this post", "Move to trash");
    const dialog = page.getByRole("dialog", { name: "Move “Mussels” to the trash?" });
    await dialog.getByText("This cancels what is planned:").waitFor();
    for (const account of ["harbour", "quay"])
      await dialog.getByText(new RegExp(`^${account}\\s· Sandbox: \\w+,? 15 \\w+, 10:00$`)).waitFor();
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    assert.deepEqual(await listStates(postId), ["scheduled", "scheduled"]);
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await dialog.getByRole("button", { name: "Cancel publications and move to trash" }).click();
    await page.getByText("“Mussels” moved to the trash.").first().waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Restored “Mussels”.").first().waitFor(); // until then, the list can be outdated
    await page.getByRole("link", { name: "Mussels" }).waitFor();
    assert.deepEqual(await listStates(postId), ["canceled", "canceled"]);
  });

  test("asks before archiving or deleting cancels a request that Undo can't restore (PUB-3, WEB-10)", async () => {
    const request = { at, propose: true, connectionIds: pages.connectionIds.slice(0, 1) };
    const [archivedId, keptId] = [await pages.planPost("Boats", request), await pages.planPost("Gulls", request)];
    const page = await pages.open("posts");
    const dialog = page.getByRole("dialog", { name: "Archive “Boats”?" });
    await clickInMenu(page, "Actions for Boats", "Archive");
    await dialog.getByText("This cancels what waits for approval or a new time:").waitFor();
    await dialog.getByText(/^harbour\s· Sandbox: .*, 10:00$/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await pages.readPlans(archivedId), [`harbour proposed ${at}`]);
    await clickInMenu(page, "Actions for Boats", "Archive");
    await dialog.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("link", { name: "Boats" }).waitFor({ state: "detached" });
    // The list hides the post before the server responds.
    await waitUntil(async () => (await listStates(archivedId))[0] === "canceled", { description: "it is canceled" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    const row = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Boats", exact: true }) });
    // Until the list has loaded again, it shows the request.
    await row.getByText("Draft", { exact: true }).first().waitFor();
    // No request is left that archiving would cancel.
    await clickInMenu(page, "Actions for Boats", "Archive");
    await waitUntil(async () => (await pages.readPost(archivedId)).status === "archived");

    const trashDialog = page.getByRole("dialog", { name: "Move “Gulls” to the trash?" });
    await page.getByRole("checkbox", { name: "Select Gulls" }).check();
    await page.getByRole("button", { name: "Move to trash" }).click();
    await trashDialog.getByRole("button", { name: "Cancel" }).click();
    await openPost(page, "Gulls");
    await clickInMenu(page, "Actions for this post", "Move to trash");
    await trashDialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await listStates(keptId), ["proposed"]);
  });
});
