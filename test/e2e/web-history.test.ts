import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { restoreFromTrash } from "#domain/trash/trash.ts";
import { days } from "#lib/clock.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { assertAccessible, findViolations } from "../support/axe.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { fromNow } from "../support/clock.ts";
import { addFile, addPost } from "../support/history-fixture.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const titles = ["How we choose paper", "Three vases, one glaze", "Fog over the harbour"];
const attribution = "Claude, for Bo Dahl";

describe("an owner undoes what an assistant did", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let assistant: Assistant;
  let postIds: string[];
  let fileId: string;
  let base: string;

  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    base = fixture.service.base;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    const member = await newMember(deps, owner, "member", await newUser(deps, { name: "Bo Dahl" }));
    postIds = [];
    for (const title of titles)
      postIds.push((await createPost(deps, owner, { title, body: `About ${title}.\n\nThe end.` })).id);
    await attachAsset(deps, owner, { postId: postIds[0] ?? "", assetId: await addFile(deps, owner, "paper.pdf") });
    fileId = await addFile(deps, owner, "catalogue.pdf");

    assistant = await connectAssistant(`${base}/mcp`, await fixture.newPage(member), "Claude");
    await fixture.closeContexts();
    page = await fixture.newPage(owner, { viewport: { width: 1280, height: 900 }, bypassCSP: true });
  });
  after(async () => {
    await assistant?.close();
    await fixture?.close();
  });

  const openStudioPage = (path: string) => page.goto(`${base}/studios/${owner.studio.id}/${path}`);
  const readPost = (postId: string) => getPost(fixture.service.deps, owner, { postId });
  const readTitles = async () => (await Promise.all(postIds.map(readPost))).map(({ title }) => title);
  const changeAsAssistant = async (postId: string, change: Record<string, unknown>): Promise<void> => {
    const { revision } = await assistant.call("get_post", { postId });
    await assistant.call("update_post", { postId, ...change, revision });
  };
  /** Opens the page that lists the assistant's changes of the last hour. */
  const openUndo = async (): Promise<void> => {
    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    await page.getByLabel("Last hour").check();
  };
  const waitForShownText = (text: RegExp) =>
    waitUntil(async () => text.test(await page.getByLabel("Text", { exact: true }).inputValue()));
  test("undoes changes to three posts and the deletion of a file, and reapplies them (UNDO-1, UNDO-6)", async () => {
    for (const postId of postIds) await changeAsAssistant(postId, { title: "Amazing!", body: "Click here!" });
    await assistant.call("delete_asset", { assetId: fileId });
    const changedTitles = ["Amazing!", "Amazing!", "Amazing!"];
    await openUndo();
    await page.getByRole("heading", { name: "7 changes to 4 items would be undone" }).waitFor();
    const list = page.getByRole("list", { name: "What would be undone" });
    await list.getByRole("link", { name: "Amazing!" }).nth(2).waitFor();
    await list.getByRole("listitem").last().getByText("catalogue.pdf").waitFor();
    await list.getByText("Restore from the trash").waitFor();
    assert.deepEqual(await readTitles(), changedTitles, "the dry run changes nothing");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Undo 7 changes" }).click();
    await page.getByRole("heading", { name: "7 changes to 4 items undone" }).waitFor();
    const lastUndone = page.getByRole("list", { name: "Undone" }).getByRole("listitem").last();
    await lastUndone.getByRole("link", { name: "catalogue.pdf" }).waitFor();
    assert.deepEqual(await readTitles(), titles);
    await assertAccessible(page);

    await page.getByRole("button", { name: "Reapply changes" }).click();
    await page.getByRole("heading", { name: /^Changes by .* reapplied$/, level: 1 }).waitFor();
    await page.getByRole("heading", { name: "7 changes to 4 items reapplied" }).waitFor();
    await page.getByText("Reapplied title and text").nth(2).waitFor();
    assert.deepEqual(await readTitles(), changedTitles);

    // The activity page offers the same undo later.
    await openStudioPage("activity");
    const newestUndo = page
      .getByRole("listitem")
      .filter({ hasText: /(undid|reapplied) changes/ })
      .first();
    await newestUndo.getByRole("button", { name: "Undo changes" }).click();
    await page.getByText("7 changes undone.").last().waitFor();
    assert.deepEqual(await readTitles(), titles);
    await newestUndo.getByText("undid changes").waitFor();
    await newestUndo.getByRole("button", { name: "Reapply changes" }).waitFor();
  });

  test("schedules posts again that an assistant's change had returned, after an undo and after a restore (UNDO-10)", async () => {
    const { deps } = fixture.service;
    const connectionIds = [
      await newConnection(deps, owner, "north", "sandbox"),
      await newConnection(deps, owner, "south", "sandbox"),
    ];
    const { id: postId } = await createPost(deps, owner, { title: "Monday", body: "Text" });
    await publishPost(deps, owner, { postId, connectionIds, at: fromNow(days(3)) });
    const readStates = async () => {
      const { publications = [] } = await readPost(postId);
      return publications.map(({ account, state }) => `${account} ${state}`).toSorted();
    };
    await changeAsAssistant(postId, { body: "Buy now!" });
    assert.deepEqual(await readStates(), ["north proposed", "south proposed"]);

    await openUndo();
    const choices = page.getByRole("group", { name: "These posts will be scheduled again" });
    await choices.getByLabel("Monday to north").waitFor();
    assert.deepEqual(await choices.getByRole("checkbox", { checked: true }).count(), 2);
    await assertAccessible(page);
    await choices.getByLabel("Monday to south").uncheck();
    await page.getByRole("button", { name: "Undo 1 change" }).click();
    await page.getByRole("region", { name: "Scheduled again" }).getByText("to north").waitFor();
    await page.getByRole("region", { name: "Waiting for approval" }).getByText("to south").waitFor();
    assert.deepEqual(await readStates(), ["north scheduled", "south proposed"]);
    await assertAccessible(page);

    await changeAsAssistant(postId, { body: "Buy now!" });
    await openStudioPage(`posts/${postId}?panel=history`);
    const undoChange = page.getByRole("button", { name: "Undo this change" });
    const dialog = page.getByRole("dialog", { name: "Undo change" });
    await undoChange.click();
    await dialog.getByLabel("Monday to north").waitFor();
    assert.equal(await dialog.getByRole("checkbox").count(), 1, "the other account was returned by an earlier change");
    assert.deepEqual(await findViolations(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await readPost(postId)).body, "Buy now!", "Cancel changes nothing");
    await undoChange.click();
    await dialog.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^Change undone\. Scheduled again: north, .* Still waits for approval: south, /).waitFor();
    assert.deepEqual(await readStates(), ["north scheduled", "south proposed"]);
  });

  test("keeps what another user changed afterwards, and shows both values, also per account (UNDO-2)", async () => {
    const { deps } = fixture.service;
    const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
    const { postId, assetIds } = await addPost(deps, owner, { title: "Maps", files: 2 });
    await changeAsAssistant(postId, { title: "Maps!", variants: [{ connectionId, assetIds: assetIds.slice(1) }] });
    const variants = [{ connectionId, body: "Maps of the harbour." }];
    await updatePost(deps, owner, { postId, title: "Maps of the sea", variants });
    await openUndo();
    const conflicts = page.getByRole("region", { name: "Kept because of later changes" });
    await conflicts.getByText("Maps!", { exact: true }).waitFor();
    for (const value of ["Maps of the sea", "harbour, 1 of 2 files", "harbour: Maps of the harbour."])
      await conflicts.locator("dd").getByText(value, { exact: true }).waitFor();
  });

  test("the history names the client, shows what changed and restores a revision, with Undo (HIST-1, HIST-5)", async () => {
    const postId = postIds[0] ?? "";
    await changeAsAssistant(postId, { body: "About cheap paper.\n\nThe end." });
    await openStudioPage(`posts/${postId}`);
    await page.getByText("by Ada Berg").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    const revisionItems = page.getByRole("list", { name: "Revisions" }).locator("> li");
    const newest = revisionItems.first();
    await newest.getByText(`${attribution}, changed the text`).waitFor();
    assert.equal(await newest.locator("ins").textContent(), "[added: cheap]");
    await revisionItems.last().getByText("Ada Berg created the post").waitFor();
    await assertAccessible(page);

    const restoreRevision = async (): Promise<void> => {
      await page.getByText("Restore revision 2", { exact: true }).click();
      await newest.getByText("Ada Berg restored revision 2").waitFor();
      assert.match((await readPost(postId)).body, /^About How/);
    };
    await page.getByText("Restoring makes a new revision; later revisions stay in the history.").waitFor();
    await restoreRevision();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Restore undone.").first().waitFor();
    assert.match((await readPost(postId)).body, /^About cheap/);
    await restoreRevision();
    await newest.getByRole("button", { name: "Undo this change" }).click();
    await waitForShownText(/^About cheap/);
    await restoreRevision();
    await waitForShownText(/^About How/);
    await page.getByRole("button", { name: "Close panel" }).click();
    await waitForShownText(/^About How/);
  });

  test("the text that a user found, and text that was mostly removed, can be restored (HIST-2)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Rope", body: "" });
    const longText = "The rope is older than the boat, and it still holds.";
    await openStudioPage(`posts/${postId}`);
    for (const text of ["The rope", longText, "Rope, then.", "Rope, then and now, for boats."]) {
      if (text.endsWith("boats.")) await page.reload();
      await page.getByLabel("Text", { exact: true }).fill(text);
      await waitUntil(async () => (await readPost(postId)).body === text, { description: text });
    }
    const { revisions } = await getPostHistory(deps, owner, { postId, limit: 10 });
    assert.deepEqual(
      revisions.map(({ body }) => body),
      ["Rope, then and now, for boats.", "Rope, then.", longText, ""],
    );
    await page.getByRole("button", { name: "History" }).click();
    const secondChange = page.getByRole("list", { name: "Revisions" }).locator("> li").nth(1);
    await secondChange.getByText("Changes of revision").click();
    await secondChange.getByRole("button", { name: "Undo this and later changes" }).click();
    await waitUntil(async () => (await readPost(postId)).body === longText);
  });

  test("a ready post shows what changed since it was marked ready, and by whom, and asks what to do (HIST-4)", async () => {
    const postId = postIds[1] ?? "";
    await openStudioPage(`posts/${postId}`);
    const setStatus = async (status: "ready" | "draft"): Promise<void> => {
      await page.getByLabel("Status").selectOption(status);
      await waitForStatus(status);
    };
    const waitForStatus = (status: string) => waitUntil(async () => (await readPost(postId)).status === status);
    const banner = page.getByRole("region", { name: "Changed since it was marked ready" });
    await setStatus("ready");
    await changeAsAssistant(postId, { title: "Four vases, one glaze" });
    await banner.getByText(attribution).waitFor();
    assert.equal(await banner.locator("ins").textContent(), "[added: Four]");
    await assertAccessible(page);
    assert.ok((await page.locator("main .bg-accent:is(a, button)").count()) <= 1, "one primary action");
    await banner.getByRole("button", { name: "Keep ready" }).click();
    await banner.waitFor({ state: "detached" });
    assert.equal((await readPost(postId)).status, "ready");
    await changeAsAssistant(postId, { title: "Five vases, one glaze" });
    await banner.getByRole("button", { name: "Back to draft" }).click();
    await banner.waitFor({ state: "detached" });
    await waitForStatus("draft");

    // The user's own changes need no decision.
    await setStatus("ready");
    await page.getByLabel("Title").fill("Five vases, two glazes");
    await banner.getByText("Changed since it was marked ready, by you").click();
    await banner.locator("ins", { hasText: "two glazes" }).waitFor();
    assert.equal(await banner.getByRole("button", { name: "Keep ready" }).count(), 0);
    await page.getByLabel("Title").fill("Five vases, one glaze");
    await banner.waitFor({ state: "detached" });
    await setStatus("draft");
  });

  test("deleting a post can be undone, and a deleted post can be restored from the trash (TRASH-1, TRASH-5)", async () => {
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    const deletePost = async () => {
      await page.getByRole("button", { name: "Actions for this post" }).click();
      await page.getByRole("menuitem", { name: "Move to trash" }).click();
      await undo.waitFor();
    };
    await openStudioPage(`posts/${postIds[1]}`);
    await deletePost();
    await page.getByText("“Five vases, one glaze” moved to the trash.").first().waitFor();
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("button", { name: "Restore Five vases, one glaze" }).click();
    const toast = page.getByRole("listitem").filter({ hasText: "Restored “Five vases, one glaze”." }).first();
    await toast.waitFor();
    assert.equal(await undo.count(), 0, "there is nothing left to undo");
    await toast.getByRole("button", { name: "Open" }).click();
    await deletePost();
    await restoreFromTrash(fixture.service.deps, owner, { id: postIds[1] ?? "" });
    expectFailure(page.context(), 404, `/trash/${postIds[1]}/restore`);
    await undo.click();
    await page.getByText("It was already restored.").first().waitFor();
    await page.getByRole("link", { name: "Five vases, one glaze" }).click();
    await deletePost();
    await assistant.call("delete_post", { postId: postIds[2] });

    await page.getByRole("link", { name: "Trash" }).click();
    const items = page.getByRole("list", { name: "Trash" }).getByRole("listitem");
    await items.filter({ hasText: "Fog over the harbour" }).getByText(`by ${attribution}`).waitFor();
    await items.filter({ hasText: "Five vases, one glaze" }).getByText("30 days left").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Restore Fog over the harbour" }).click();
    await items.filter({ hasText: "Fog over the harbour" }).waitFor({ state: "detached" });
    assert.equal((await readPost(postIds[2] ?? "")).title, "Fog over the harbour");
  });

  test("Undo of a restored revision says that the post is in the trash, and restores it (HIST-5, TRASH-5)", async () => {
    const { deps } = fixture.service;
    const { postId } = await addPost(deps, owner, { title: "Cranes", body: "First." });
    await updatePost(deps, owner, { postId, body: "Second." });
    await openStudioPage(`posts/${postId}?panel=history`);
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    const toast = page.getByRole("listitem").filter({ hasText: "Revision 1 restored." });
    await toast.hover(); // it stays while the pointer is on it
    expectFailure(
      page.context(),
      404,
      new RegExp(`/posts/${postId}(/comments|/restore|/upload-links)?$|/review-links$`),
    );
    await assistant.call("delete_post", { postId });
    await toast.getByRole("button", { name: "Undo" }).click();
    const explanation = page.getByRole("listitem").filter({ hasText: "“Cranes” is in the trash. Restore it first." });
    await explanation.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored “Cranes”.").first().waitFor();
    assert.equal((await readPost(postId)).body, "First.");
  });

  test("a post that is deleted while it is open is read-only until it is restored (TRASH-5)", async () => {
    const postId = postIds[2] ?? "";
    await openStudioPage(`posts/${postId}`);
    const text = page.getByLabel("Text", { exact: true });
    await page.getByRole("button", { name: "Mark ready" }).waitFor();
    expectFailure(page.context(), 404, new RegExp(`/posts/${postId}(/comments|/upload-links)?$|/review-links$`));
    await assistant.call("delete_post", { postId });
    await page.getByText("This post was moved to the trash.").waitFor();
    assert.equal(await text.isEditable(), false);
    await page.getByText("This post is in the trash. Restore it to publish it.").waitFor();
    for (const hidden of [page.getByLabel("Status"), page.getByText("Saved", { exact: true })])
      assert.equal(await hidden.count(), 0);
    for (const name of ["Mark ready", "Upload"])
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    await page.getByRole("button", { name: "Restore post" }).click();
    await page.getByRole("button", { name: "Mark ready" }).waitFor();
    assert.ok(await text.isEditable());
  });

  test("emptying the trash states the number of items and is final (TRASH-4, WEB-10)", async () => {
    await openStudioPage("trash");
    await page.getByRole("button", { name: "Empty trash" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Permanently delete 1 item?" }).waitFor();
    await dialog.getByText("No one can restore what you delete here").waitFor();
    await dialog.getByRole("button", { name: "Delete 1 item" }).click();
    await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
    await assertAccessible(page);
  });
});
