import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addComment } from "#domain/comments/comments.ts";
import { fanOut } from "#domain/jobs/fan-out.ts";
import { notifyUsers } from "#domain/jobs/notify.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";

describe("the inbox", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });
  const passOn = () => fanOut(pages.deps, [{ read: (tx, events) => notifyUsers(pages.deps, tx, events) }]);

  test("groups what an assistant proposes, opens it by keyboard, and is live in every tab (NTF-1)", async () => {
    const page = await pages.open("posts");
    await page.getByRole("button", { name: "Notifications", exact: true }).click();
    await page.getByRole("heading", { name: "No notifications" }).waitFor();
    await page.keyboard.press("Escape");
    const otherTab = await page.context().newPage();
    await otherTab.goto(page.url());

    const claude = await actThroughDrafter(pages.deps, pages.owner);
    for (const title of ["Fog", "Rain", "Snow"]) {
      const postId = await pages.addPost(title);
      await publishPost(pages.deps, claude, { postId, connectionIds: pages.connectionIds, propose: true });
    }
    await passOn();
    for (const tab of [page, otherTab]) await tab.getByRole("button", { name: "Notifications, 3 unread" }).waitFor();
    await page.locator("main h1").click();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    const entry = page.getByRole("link", { name: /^Unread: Claude, for .*“Snow”.*and 2 more like this/ });
    await entry.waitFor();
    assert.deepEqual(await findViolations(page), []);
    await entry.press("Enter");
    await page.waitForURL(/\/publications\/approvals$/);
    for (const tab of [page, otherTab]) await tab.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  });

  test("marks all as read, and opens a comment on its post, on a phone (NTF-1)", async () => {
    const member = await newMember(pages.deps, pages.owner, "member");
    const postId = await pages.addPost("Fog");
    await addComment(pages.deps, member, { postId, body: "Which harbour?" });
    await addComment(pages.deps, member, { postId, body: "And when?" });
    await passOn();
    const page = await pages.open("posts", { device: "phone" });
    const bell = page.getByRole("button", { name: /^Notifications, 2 unread/ });
    await bell.tap();
    await page.getByRole("button", { name: "Mark all as read" }).tap();
    const entry = page.getByRole("link", { name: /commented on “Fog”: And when\?/ });
    await entry.and(page.getByRole("link", { name: /^(?!Unread)/ })).waitFor();
    const box = await entry.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await entry.tap();
    await page.waitForURL(new RegExp(`/posts/${postId}\\?panel=comments$`));
    await page.getByText("Which harbour?").waitFor();
  });
});
