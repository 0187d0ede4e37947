import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { assertAccessible, findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdToasts, waitForPaint } from "../support/page-waits.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const question = "Is the harbour <b>open</b> on Sundays?\nThe old text said no.";

describe("a team discusses a post with an assistant", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let member: Caller;
  let page: Page;
  let assistant: Assistant;
  let postId: string;

  before(async () => {
    fixture = await startWebFixture();
    const { deps, base } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    member = await newMember(deps, owner, "member", await newUser(deps, { name: "Bo Dahl" }));
    ({ id: postId } = await createPost(deps, owner, { title: "Fog over the harbour", body: "It is open." }));
    assistant = await connectAssistant(`${base}/mcp`, await fixture.newPage(member), "Claude");
    await fixture.closeContexts();
    page = await fixture.newPage(owner, { viewport: { width: 1280, height: 900 }, bypassCSP: true });
    await page.goto(`${base}/studios/${owner.studio.id}/posts/${postId}`);
    await openPanel();
  });
  after(async () => {
    await assistant?.close();
    await fixture?.close();
  });

  const openPanel = () => page.getByRole("button", { name: /^Comments/ }).click();
  const panel = () => page.getByRole("region", { name: "Comments" });
  const threads = () => panel().getByRole("list", { name: "Threads", exact: true }).locator("> li");
  const resolvedThread = () => panel().getByText("1 resolved thread");
  const resolveLastThread = async (): Promise<void> => {
    await threads().last().getByRole("button", { name: "Resolve thread" }).click();
    await resolvedThread().waitFor();
  };
  const readBodies = async (): Promise<string[]> =>
    ((await assistant.call("get_post", { postId, includeComments: true }))["comments"] as { body: string }[]).map(
      ({ body }) => body,
    );

  test("an open post shows an assistant's comment as text, with the user it acted for (COM-1, COM-6, W4)", async () => {
    await panel().getByText("No comments yet.").waitFor();
    await assertAccessible(page);
    await assistant.call("add_comment", { postId, body: question });
    await panel().getByText("Is the harbour <b>open</b> on Sundays?").waitFor();
    await panel().getByRole("article", { name: "Comment by Claude, for Bo Dahl" }).waitFor();
    assert.equal(await panel().locator("b").count(), 0);
  });

  test("people comment and reply by keyboard; the panel and an unsent comment survive a reload (COM-2)", async () => {
    const field = threads().getByRole("textbox", { name: "Reply" });
    const replyButton = threads().getByRole("button", { name: "Reply", exact: true });
    await replyButton.press("Enter");
    await field.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("From ten to four.");
    await page.reload();
    await replyButton.waitFor();
    await waitForPaint(page);
    await replyButton.press("Enter");
    await field.and(page.locator(":focus")).waitFor();
    assert.equal(await field.inputValue(), "From ten to four.");
    await page.keyboard.press("Control+Enter");
    await threads().getByRole("list", { name: "Replies" }).getByText("From ten to four.").waitFor();
    await replyButton.and(page.locator(":focus")).waitFor();
    await panel().getByRole("textbox", { name: "Add a comment" }).fill("Use the blue photo.");
    await page.keyboard.press("Control+Enter");
    await threads().nth(1).waitFor();
    await threads().first().getByText("Use the blue photo.").waitFor();
    assert.deepEqual(await readBodies(), ["Use the blue photo.", "From ten to four.", question]);
    await assertAccessible(page);
  });

  test("resolved threads collapse; they can be reopened there, and at once in the toast (COM-2, WEB-7)", async () => {
    await resolveLastThread();
    assert.equal(await panel().getByText("From ten to four.").isVisible(), false);
    await page.getByRole("button", { name: "Undo" }).click();
    await resolvedThread().waitFor({ state: "hidden" });
    await resolveLastThread();
    await resolvedThread().click();
    await panel().getByText("Resolved by Ada Berg").waitFor();
    await assertAccessible(page);
    // Another width shows the panel again, with resolved threads collapsed.
    await resolvedThread().click();
    await panel().getByRole("button", { name: "Reopen thread" }).click();
    await threads().getByText("From ten to four.").waitFor();
  });

  test("a toast can be seen and used while the comments cover a phone, and after they are closed (COM-2, WEB-7)", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const dialog = page.getByRole("dialog", { name: "Comments" });
    await dialog.waitFor();
    await resolveLastThread();
    await holdToasts(page); // axe is slow
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Undo" }).last().click();
    await resolvedThread().waitFor({ state: "hidden" });
    await resolveLastThread();
    await dialog.getByRole("button", { name: "Undo" }).last().waitFor();
    await dialog.getByRole("button", { name: "Close panel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await openPanel();
    await threads().getByText("From ten to four.").waitFor();
    assert.equal(await resolvedThread().count(), 0);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("people delete their own comments after a confirmation, and others' replies stay (COM-2, WEB-10)", async () => {
    const ownComments = panel().getByRole("article", { name: "Comment by Ada Berg" });
    const deleteButtons = panel().getByRole("button", { name: "Delete comment" });
    await deleteButtons.nth(1).waitFor();
    assert.equal(await deleteButtons.count(), 2, "only on Ada's own comments");
    const { comments } = await assistant.call("get_post", { postId, includeComments: true });
    const parentId = (comments as { id: string }[])[0]?.id;
    await addComment(fixture.service.deps, member, { postId, body: "Which one?", parentId });
    await panel().getByText("Which one?").waitFor();
    const dialog = page.getByRole("dialog", { name: "Delete this comment?" });
    for (const answer of ["Cancel", "Delete comment"]) {
      await ownComments
        .filter({ hasText: "Use the blue photo." })
        .getByRole("button", { name: "Delete comment" })
        .click();
      await dialog.getByRole("button", { name: answer }).click();
      await dialog.waitFor({ state: "detached" });
    }
    await panel().getByText("Comment deleted").waitFor();
    await panel().getByText("Which one?").waitFor();
    assert.deepEqual(await readBodies(), ["Which one?", "From ten to four.", question]);
    await assertAccessible(page);
  });
});
