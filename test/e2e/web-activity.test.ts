import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { changeRole } from "#domain/studios/members.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { actThroughClient, addFile } from "../support/history-fixture.ts";
import { resizeWindow } from "../support/page-waits.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

describe("the activity of a studio", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let member: Caller;
  let postId: string;

  before(async () => {
    fixture = await startWebFixture();
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
  after(() => fixture?.close());

  async function openPage(
    user: Caller,
    path: string,
    options: { width?: number; colorScheme?: "light" | "dark" } = {},
  ) {
    const { width = 1280, colorScheme = "light" } = options;
    const context = await fixture.openContext(user, {
      viewport: { width, height: 900 },
      colorScheme,
      bypassCSP: true,
    });
    const page = await context.newPage();
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
    return { page, context };
  }
  const getEntry = (page: Page, text: string) => page.locator("li:not(li li)", { hasText: text });

  test("names posts, files and members, and links to them (ACT-1)", async () => {
    const { page, context } = await openPage(owner, "activity");
    const attachEntry = getEntry(page, "Ada Berg attached harbour.pdf to Spring catalogue");
    await attachEntry.waitFor();
    const href = await attachEntry.getByRole("link", { name: "Spring catalogue" }).getAttribute("href");
    assert.equal(href, `/studios/${owner.studio.id}/posts/${postId}`);
    assert.match((await attachEntry.getByRole("link", { name: "harbour.pdf" }).getAttribute("href")) ?? "", /\/assets/);
    const deleteEntry = getEntry(page, "Ada Berg deleted Winter hours");
    assert.match(
      (await deleteEntry.getByRole("link", { name: "Winter hours" }).getAttribute("href")) ?? "",
      /\/trash$/,
    );
    const roleChange = getEntry(page, "Ada Berg changed the role of Bo Dahl");
    assert.match((await roleChange.getByRole("link", { name: "Bo Dahl" }).getAttribute("href")) ?? "", /\/members$/);
    await getEntry(page, "Bo Dahl changed Spring catalogue").getByText("Changed the text revision").waitFor();
    const title = `A long title ${"of words ".repeat(30)}`.trim();
    await createPost(fixture.service.deps, owner, { title, body: "" });
    const link = page.getByRole("link").and(page.getByTitle(title, { exact: true }));
    await page.reload();
    await link.waitFor();
    for (const [width, maxLines] of [
      [1280, 2],
      [390, 5],
    ] as const) {
      await resizeWindow(page, { width, height: 900 });
      const box = await page.locator("p", { has: link }).boundingBox();
      const [linkBox, lineBox, timeBox] = [
        await link.boundingBox(),
        await page.getByText("Ada Berg created the studio").boundingBox(),
        await page.locator("time").first().boundingBox(),
      ];
      assert.ok(box && linkBox && lineBox && timeBox);
      assert.ok(Math.round(box.height / lineBox.height) <= maxLines, `at most ${maxLines} lines at ${width} px`);
      assert.ok(linkBox.x + linkBox.width <= timeBox.x, "the title doesn’t cover the time");
    }
    await context.close();
  });

  test("groups what one actor does to one post at about the same time, and shows each entry on request (ACT-1)", async () => {
    const { page, context } = await openPage(owner, "activity");
    const group = getEntry(page, "Claude, for Ada Berg, attached 3 files to Spring catalogue");
    await group.waitFor();
    assert.equal(await page.getByText("vase.pdf").locator("visible=true").count(), 0);
    await group.getByText("Show 3 entries").click();
    for (const name of ["poster.pdf", "vase.pdf", "door.pdf"]) await group.getByRole("link", { name }).waitFor();
    await getEntry(page, "Claude, for Ada Berg, uploaded 3 files").waitFor();
    assert.equal(await getEntry(page, "attached 4 files").count(), 0, "another actor's files are in a separate entry");
    await context.close();
  });

  for (const [width, colorScheme] of axeVariants)
    test(`pages have no axe-core violation and no horizontal scrolling at ${width} px, ${colorScheme} (WEB-12)`, async () => {
      for (const path of ["activity", "clients"]) {
        const { page, context } = await openPage(owner, path, { width, colorScheme });
        if (path === "activity") await page.getByText("Show 3 entries").first().click();
        else {
          await page.getByRole("list", { name: "Connected clients" }).getByText("this studio").waitFor();
          await page.getByRole("tab", { name: "Other" }).click();
        }
        assert.deepEqual(await findViolations(page), [], path);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, path);
        await context.close();
      }
    });

  test("a member, who may not see the activity, sees the history of a post (HIST-1)", async () => {
    const { page, context } = await openPage(member, "activity");
    await page.getByText("open it and look at its history").waitFor();
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${postId}`);
    await page.getByRole("button", { name: "History" }).click();
    const revisions = page.getByRole("list", { name: "Revisions" });
    await revisions.getByText("Ada Berg created the post").waitFor();
    await revisions.getByText("Claude, for Ada Berg").first().waitFor();
    await context.close();
  });
});
