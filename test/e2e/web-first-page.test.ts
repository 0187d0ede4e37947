import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { skipWithoutChromium, type Page } from "../support/chromium.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const postCount = 30;

describe("the first page of a visit", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
    for (let i = 0; i < postCount; i++)
      await createPost(fixture.service.deps, owner, { title: `Post ${i}`, body: "The fog came in." });
  });
  after(() => fixture?.close());

  async function openPage(): Promise<Page> {
    const context = await fixture.openContext(owner, { viewport: { width: 1280, height: 720 } });
    return context.newPage();
  }
  const postsUrl = () => `${fixture.service.base}/studios/${owner.studio.id}/posts`;
  const getRows = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("listitem");
  const readScroll = (page: Page) => page.evaluate("Math.round(scrollY)");

  test("shows all posts, and returns to the scroll position after a reload", async () => {
    const page = await openPage();
    await page.goto(postsUrl());
    await getRows(page)
      .nth(postCount - 1)
      .waitFor();
    await page.evaluate("scrollTo(0, 1200)");
    await waitUntil(async () => (await readScroll(page)) === 1200);
    await page.reload();
    await getRows(page)
      .nth(postCount - 1)
      .waitFor();
    await waitUntil(async () => (await readScroll(page)) === 1200);
    await page.context().close();
  });

  test("requests all data at once, and says that it loads if the server takes long", async () => {
    const page = await openPage();
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/me", async (route) => {
      await hold;
      await route.continue();
    });
    // Requested at the same time as the user.
    const listRequest = page.waitForRequest("**/post-summaries*");
    await page.goto(postsUrl());
    await listRequest;
    await page.getByText("Loading…").waitFor();
    assert.equal(await getRows(page).count(), 0);
    release();
    await getRows(page).first().waitFor();
    await page.context().close();
  });

  test("says that it could not be loaded, and loads when the user tries again", async () => {
    const page = await openPage();
    await page.route("**/api/studios/*", (route) => route.fulfill({ status: 400, json: {} }));
    await page.goto(postsUrl());
    await page.getByRole("heading", { name: "This page couldn’t be loaded" }).waitFor();
    await page.unroute("**/api/studios/*");
    await page.getByRole("button", { name: "Try again" }).click();
    await getRows(page).first().waitFor();
    await page.context().close();
  });
});
