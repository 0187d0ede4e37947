import assert from "node:assert/strict";
import { afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { changeRole } from "#domain/studios/members.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { actThroughClient, addFile } from "../support/history-fixture.ts";
import { resizeWindow } from "../support/page-waits.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { startWebFixture } from "../support/web-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";

describe("the activity of a studio", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let owner: Caller;
  let member: Caller;
  let postId: string;

  before(async () => {
    const { deps } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    member = await newMember(deps, owner, "member", await newUser(deps, { name: "Bo Dahl" }));
    await changeRole(deps, owner, { userId: member.user.id, role: "admin" });
    await changeRole(deps, owner, { userId: member.user.id, role: "member" });
    ({ id: postId } = await createPost(deps, owner, { title: "Spring catalogue", body: "" }));
    await attachAsset(deps, owner, { postId, assetId: await addFile(deps, owner, "harbour.pdf") });
    const claude = await actThroughClient(deps, owner);
    for (const name of ["poster.pdf", "vase.pdf", "door.pdf"])
      await attachAsset(deps, claude, { postId, assetId: await addFile(deps, claude, name) });
    const deletedPost = await createPost(deps, owner, { title: "Winter hours", body: "" });
    await deletePost(deps, owner, { postId: deletedPost.id });
    await updatePost(deps, member, { postId, body: "Order it from the first of March." });
  });
  afterEach(() => fixture.closeContexts());

  async function openPage(user: Caller): Promise<Page> {
    const page = await fixture.newPage(user, { viewport: { width: 1280, height: 900 }, bypassCSP: true });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/activity`);
    return page;
  }
  const getEntry = (page: Page, text: string) => page.locator("li:not(li li)", { hasText: text });

  test("names posts, files and members, and links to them (ACT-1)", async () => {
    const page = await openPage(owner);
    await getEntry(page, "Bo Dahl changed Spring catalogue").getByText("Changed the text revision").waitFor();
    for (const [entry, name, path] of [
      ["attached harbour.pdf to Spring catalogue", "Spring catalogue", `/posts/${postId}`],
      ["attached harbour.pdf to Spring catalogue", "harbour.pdf", "/assets"],
      ["deleted Winter hours", "Winter hours", "/trash"],
      ["changed the role of Bo Dahl", "Bo Dahl", "/members"],
    ] as const) {
      const link = getEntry(page, `Ada Berg ${entry}`).getByRole("link", { name });
      const href = (await link.first().getAttribute("href")) ?? "";
      assert.ok(href.startsWith(`/studios/${owner.studio.id}${path}`), href);
    }
    const title = `A long title ${"of words ".repeat(30)}`.trim();
    await createPost(fixture.service.deps, owner, { title, body: "" });
    const link = page.getByRole("link").and(page.getByTitle(title, { exact: true }));
    await link.waitFor();
    for (const width of [1280, 390]) {
      await resizeWindow(page, { width, height: 900 });
      const time = page.locator("time").first();
      const [linkBox, timeBox] = await Promise.all([link, time].map((locator) => locator.boundingBox()));
      assert.ok(linkBox && timeBox && linkBox.x + linkBox.width <= timeBox.x, "the title doesn’t cover the time");
    }
  });

  test("groups what one actor does to one post at about the same time, and shows each entry on request (ACT-1)", async () => {
    const page = await openPage(owner);
    const group = getEntry(page, "Claude, for Ada Berg, attached 3 files to Spring catalogue");
    await group.waitFor();
    assert.equal(await page.getByText("vase.pdf").locator("visible=true").count(), 0);
    await group.getByText("Show 3 entries").click();
    for (const name of ["poster.pdf", "vase.pdf", "door.pdf"]) await group.getByRole("link", { name }).waitFor();
    assert.deepEqual(await findViolations(page), []);
  });

  test("tells members that only owners and admins can see activity, and shows them the history of a post (WEB-2, HIST-1)", async () => {
    const page = await openPage(member);
    await page.getByRole("heading", { name: "Only owners and admins can see activity" }).waitFor();
    await page.getByText("open it and look at its history").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await page.getByRole("link", { name: "Go to posts" }).click();
    await page.getByRole("link", { name: "Spring catalogue" }).click();
    await page.getByRole("button", { name: "History" }).click();
    const revisions = page.getByRole("list", { name: "Revisions" });
    await revisions.getByText("Ada Berg created the post").waitFor();
    await revisions.getByText("Claude, for Ada Berg").first().waitFor();
  });
});
