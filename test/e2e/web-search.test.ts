import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { almostMatchingQuery } from "../support/hostile-posts.ts";
import { newStudio } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

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
    const page = await context.newPage();
    let searchCalls = 0;
    page.on("request", (request) => void (request.url().includes("query=") && searchCalls++));
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await page.getByLabel("Search posts").fill(almostMatchingQuery);
    await page.getByRole("link", { name: "The needle" }).waitFor();
    assert.ok(searchCalls >= 2, `${searchCalls} calls`);
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
    await page.getByLabel("Search posts").fill("nowhere");
    await page.getByText("No matching posts").waitFor();
    await context.close();
  });
});
