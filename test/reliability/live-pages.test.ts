import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { newStudio } from "../support/users.ts";
import { openLoadedPage, startWebFixture } from "../support/web-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const maxMs = 2000;

describe("live pages", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());

  test("an open list and an open post show a change within two seconds (WEB-5)", async () => {
    const { base, deps } = fixture.service;
    const owner = await newStudio(deps);
    const post = await createPost(deps, owner, { title: "Fog", body: "" });
    for (const path of [`/studios/${owner.studio.id}/posts`, `/studios/${owner.studio.id}/posts/${post.id}`]) {
      const page = await fixture.newPage(owner);
      await openLoadedPage(page, `${base}${path}`);
      for (const title of [`Fog over ${path}`, `Fog lifts over ${path}`]) {
        await updatePost(deps, owner, { postId: post.id, title });
        const changedAt = performance.now();
        await page.getByText(title).first().waitFor();
        const ms = performance.now() - changedAt;
        assert.ok(ms <= maxMs, `${path}: visible after ${ms.toFixed(0)} ms`);
      }
      await page.context().close();
    }
  });
});
