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
import { restoreFromTrash } from "#domain/trash/restore-from-trash.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { findViolations } from "../support/axe.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { addFile, addPost } from "../support/history-fixture.ts";
import { resizeWindow, waitForFit } from "../support/page-waits.ts";
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
  const errors: string[] = [];

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

    const memberContext = await fixture.openContext(member);
    assistant = await connectAssistant(`${base}/mcp`, await memberContext.newPage(), "Claude");
    await memberContext.close();
    const context = await fixture.openContext(owner, { viewport: { width: 1280, height: 900 }, bypassCSP: true });
    page = await context.newPage();
    page.on("pageerror", (error) => void errors.push(error.message));
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
  /** Checks the page at the widths of a desktop and a phone. */
  const checkAccessibility = async (): Promise<void> => {
    const size = page.viewportSize();
    for (const width of [1280, 390]) {
      await resizeWindow(page, { width, height: 900 });
      await page.waitForTimeout(200);
      assert.deepEqual(await findViolations(page), []);
      await waitForFit(page);
    }
    if (size) await resizeWindow(page, size);
  };

  test("undoes changes to three posts and the deletion of a file in under a minute (UNDO-1, UNDO-6)", async () => {
    for (const postId of postIds) await changeAsAssistant(postId, { title: "Amazing!", body: "Click here!" });
    await assistant.call("delete_asset", { assetId: fileId });
    assert.deepEqual(await readTitles(), ["Amazing!", "Amazing!", "Amazing!"]);

    const startedAt = performance.now();
    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    await page.getByLabel("Last hour").check();
    await page.getByRole("heading", { name: "7 changes to 4 items would be undone" }).waitFor();
    const list = page.getByRole("list", { name: "What would be undone" });
    await list.getByRole("link", { name: "Amazing!" }).nth(2).waitFor();
    assert.equal(await list.getByRole("link", { name: "Amazing!" }).count(), 3);
    await list.getByRole("listitem").last().getByText("catalogue.pdf").waitFor();
    await list.getByText("Restore from the trash").waitFor();
    assert.deepEqual(await readTitles(), ["Amazing!", "Amazing!", "Amazing!"], "the dry run changes nothing");
    const checkStartedAt = performance.now();
    await checkAccessibility();
    const checkDurationMs = performance.now() - checkStartedAt;
    await page.getByRole("button", { name: "Undo 7 changes" }).click();
    await page.getByRole("heading", { name: "7 changes to 4 items undone" }).waitFor();
    assert.ok(performance.now() - startedAt - checkDurationMs < 60_000);
    const lastUndone = page.getByRole("list", { name: "Undone" }).getByRole("listitem").last();
    await lastUndone.getByRole("link", { name: "catalogue.pdf" }).waitFor();

    assert.deepEqual(await readTitles(), titles);
    assert.equal((await readPost(postIds[1] ?? "")).body, "About Three vases, one glaze.\n\nThe end.");
    await checkAccessibility();
  });

  test("an undo can itself be undone, repeatedly (UNDO-1)", async () => {
    await page.getByRole("button", { name: "Reapply changes" }).click();
    await page.getByRole("heading", { name: /^Changes by .* reapplied$/, level: 1 }).waitFor();
    await page.getByRole("heading", { name: "7 changes to 4 items reapplied" }).waitFor();
    await page.getByText("Reapplied title and text").nth(2).waitFor();
    assert.equal(await page.getByText("Reapplied title and text").count(), 3);
    const lastReapplied = page.getByRole("list", { name: "Reapplied" }).getByRole("listitem").last();
    await lastReapplied.getByText("catalogue.pdf").waitFor();
    assert.deepEqual(await readTitles(), ["Amazing!", "Amazing!", "Amazing!"]);
    await page.getByRole("button", { name: "Undo changes" }).click();
    await page.getByRole("heading", { name: "7 changes to 4 items undone" }).waitFor();
    assert.deepEqual(await readTitles(), titles);
    await openStudioPage("assets");
    await page.getByRole("button", { name: /catalogue\.pdf/ }).waitFor();

    // The activity page offers the same undo later.
    await openStudioPage("activity");
    const newestUndo = page
      .getByRole("listitem")
      .filter({ hasText: /(undid|reapplied) changes/ })
      .first();
    for (const [label, result, expectedTitles] of [
      ["Reapply changes", "reapplied", ["Amazing!", "Amazing!", "Amazing!"]],
      ["Undo changes", "undone", titles],
    ] as const) {
      await newestUndo.getByRole("button", { name: label }).click();
      await page.getByText(`7 changes ${result}.`).last().waitFor();
      await waitUntil(async () => (await readTitles()).join() === expectedTitles.join());
    }
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
    const at = toIsoTime(Date.now() + days(3));
    await publishPost(deps, owner, { postId, connectionIds, at });
    const readStates = async () => {
      const { publications = [] } = await readPost(postId);
      return publications.map(({ account, state }) => `${account} ${state}`).toSorted();
    };
    await changeAsAssistant(postId, { body: "Buy now!" });
    assert.deepEqual(await readStates(), ["north proposed", "south proposed"]);

    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    const choices = page.getByRole("group", { name: "These posts will be scheduled again" });
    await choices.getByLabel("Monday to north").waitFor();
    assert.deepEqual(await choices.getByRole("checkbox", { checked: true }).count(), 2);
    await checkAccessibility();
    await choices.getByLabel("Monday to south").uncheck();
    await page.getByRole("button", { name: "Undo 1 change" }).click();
    const scheduled = page.getByRole("region", { name: "Scheduled again" });
    await scheduled.getByRole("listitem").getByText("to north").waitFor();
    const waiting = page.getByRole("region", { name: "Waiting for approval" });
    await waiting.getByRole("listitem").getByText("to south").waitFor();
    assert.deepEqual(await readStates(), ["north scheduled", "south proposed"]);
    await checkAccessibility();

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
    assert.equal((await readPost(postId)).body, "Text");
  });

  test("keeps what another user changed afterwards, and shows both values (UNDO-2)", async () => {
    const postId = postIds[2] ?? "";
    await changeAsAssistant(postId, { title: "Fog!" });
    await updatePost(fixture.service.deps, owner, { postId, title: "Fog over the sea" });
    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    await page.getByLabel("Last hour").check();
    const conflicts = page.getByRole("region", { name: "Kept because of later changes" });
    await conflicts.getByText("Fog!", { exact: true }).waitFor();
    await conflicts.locator("dd").getByText("Fog over the sea").waitFor();
    await updatePost(fixture.service.deps, owner, { postId, title: titles[2] });
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
    await checkAccessibility();

    await page.getByText("Restoring makes a new revision; later revisions stay in the history.").waitFor();
    await page.getByText("Restore revision 2", { exact: true }).click();
    await page.getByText("Revision 2 restored.").first().waitFor();
    const undoButton = page.getByRole("button", { name: "Undo", exact: true });
    await undoButton.hover(); // a toast stays while the pointer is on it
    assert.equal((await readPost(postId)).body, "About How we choose paper.\n\nThe end.");
    await newest.getByText("Ada Berg restored revision 2").waitFor();
    await undoButton.click();
    await page.getByText("Restore undone.").first().waitFor();
    assert.equal((await readPost(postId)).body, "About cheap paper.\n\nThe end.");
    await page.getByRole("button", { name: "Restore revision 2" }).click();
    await page.getByText("Revision 2 restored.").first().waitFor();
    await newest.getByText("Ada Berg restored revision 2").waitFor();
    await newest.getByRole("button", { name: "Undo this change" }).click();
    await page.waitForFunction("document.querySelector('#post-body').value.startsWith('About cheap')");
    assert.equal((await readPost(postId)).body, "About cheap paper.\n\nThe end.");
    await page.getByRole("button", { name: "Restore revision 2" }).click();
    await page.waitForFunction("document.querySelector('#post-body').value.startsWith('About How')");
    await page.getByRole("button", { name: "Close panel" }).click();
    await page.waitForFunction("document.querySelector('#post-body').value.startsWith('About How')");
  });

  test("the history shows files that a user added one after another as one entry, and each on request (HIST-1)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Boats", body: "" });
    for (const name of ["one.pdf", "two.pdf", "three.pdf"])
      await attachAsset(deps, owner, { postId, assetId: await addFile(deps, owner, name) });
    await openStudioPage(`posts/${postId}`);
    await page.getByRole("button", { name: "History" }).click();
    const revisionItems = page.getByRole("list", { name: "Revisions" }).locator("> li");
    await revisionItems.first().getByText("Ada Berg added 3 files").waitFor();
    await revisionItems.first().getByText("revisions 2 to 4").waitFor();
    assert.equal(await revisionItems.count(), 2);
    await checkAccessibility();
    await page.getByRole("button", { name: "Show each revision" }).click();
    await revisionItems.nth(2).getByText("Ada Berg added one.pdf").waitFor();
    assert.equal(await revisionItems.count(), 4);
    await page.getByRole("button", { name: "Undo this change" }).click();
    await page.getByText("Change undone.").first().waitFor();
    assert.equal((await readPost(postId)).assets.length, 2);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Change reapplied.").first().waitFor();
    assert.equal((await readPost(postId)).assets.length, 3);
  });

  test("the text that a user found, and text that was mostly removed, can be restored (HIST-2)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Rope", body: "" });
    const texts = [
      "The rope is older than the boat, and it still holds.",
      "Rope, then.",
      "Rope, then and now, for boats.",
    ];
    const save = async (text: string) => {
      await page.getByLabel("Text", { exact: true }).fill(text);
      await waitUntil(async () => (await readPost(postId)).body === text, { description: text });
    };
    await openStudioPage(`posts/${postId}`);
    await save("The rope");
    await save(texts[0] ?? "");
    await save(texts[1] ?? "");
    await page.reload();
    await save(texts[2] ?? "");
    const { revisions } = await getPostHistory(deps, owner, { postId, limit: 10 });
    assert.deepEqual(
      revisions.map(({ body }) => body),
      [texts[2], texts[1], texts[0], ""],
    );
    await page.getByRole("button", { name: "History" }).click();
    const secondChange = page.getByRole("list", { name: "Revisions" }).locator("> li").nth(1);
    await secondChange.getByText("Changes of revision").click();
    await secondChange.getByRole("button", { name: "Undo this and later changes" }).click();
    await waitUntil(async () => (await readPost(postId)).body === texts[0]);
    await checkAccessibility();
  });

  test("the history counts files of a group only once all of its revisions are loaded (HIST-1)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Anchors", body: "" });
    for (let i = 1; i <= 20; i++)
      await attachAsset(deps, owner, { postId, assetId: await addFile(deps, owner, `${i}.pdf`) });
    await openStudioPage(`posts/${postId}?panel=history`);
    const firstItem = page.getByRole("list", { name: "Revisions" }).locator("> li").first();
    await firstItem.getByText("Ada Berg added files").waitFor();
    await page.getByRole("button", { name: "Show earlier revisions" }).click();
    await firstItem.getByText("Ada Berg added 20 files").waitFor();
    assert.equal(await firstItem.getByText("Changes of revision").count(), 1);
    await updatePost(deps, owner, { postId, title: "Anchors" });
    await openStudioPage(`posts/${postId}?panel=history`);
    await firstItem.getByText("Ada Berg saved it without changes").waitFor();
    assert.equal(await firstItem.getByText("Changes of revision").count(), 0);
    await checkAccessibility();
  });

  test("a ready post shows what changed since it was marked ready, and by whom, and asks what to do (HIST-4)", async () => {
    const postId = postIds[1] ?? "";
    await openStudioPage(`posts/${postId}`);
    await page.getByLabel("Status").selectOption("ready");
    await waitUntil(async () => (await readPost(postId)).status === "ready");
    await changeAsAssistant(postId, { title: "Four vases, one glaze" });
    const banner = page.getByRole("region", { name: "Changed since it was marked ready" });
    await banner.getByText(attribution).waitFor();
    assert.equal(await banner.locator("ins").textContent(), "[added: Four]");
    await checkAccessibility();
    assert.ok((await page.locator("main .bg-accent:is(a, button)").count()) <= 1, "one primary action");
    await banner.getByRole("button", { name: "Keep ready" }).click();
    await banner.waitFor({ state: "detached" });
    assert.equal((await readPost(postId)).status, "ready");
    await changeAsAssistant(postId, { title: "Five vases, one glaze" });
    await banner.getByRole("button", { name: "Back to draft" }).click();
    await banner.waitFor({ state: "detached" });
    await waitUntil(async () => (await readPost(postId)).status === "draft");

    // The user's own changes need no decision.
    await page.getByLabel("Status").selectOption("ready");
    await waitUntil(async () => (await readPost(postId)).status === "ready");
    await page.getByLabel("Title").fill("Five vases, two glazes");
    await banner.getByText("Changed since it was marked ready, by you").click();
    await banner.locator("ins", { hasText: "two glazes" }).waitFor();
    assert.equal(await banner.getByRole("button", { name: "Keep ready" }).count(), 0);
    await page.getByLabel("Title").fill("Five vases, one glaze");
    await banner.waitFor({ state: "detached" });
    await page.getByLabel("Status").selectOption("draft");
    await waitUntil(async () => (await readPost(postId)).status === "draft");
  });

  test("deleting a post can be undone, and a deleted post can be restored from the trash (TRASH-1, TRASH-5)", async () => {
    const deletePost = async () => {
      await page.getByRole("button", { name: "Actions for this post" }).click();
      await page.getByRole("menuitem", { name: "Move to trash" }).click();
    };
    await deletePost();
    await page.getByText("“Five vases, one glaze” moved to the trash.").first().waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Restored “Five vases, one glaze”.").first().waitFor(); // until then, the list can be outdated
    await page.getByRole("link", { name: "Five vases, one glaze" }).click();
    await deletePost();
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    await undo.waitFor();
    await page.getByRole("link", { name: "Trash" }).click();
    await Promise.all([
      page.waitForResponse("**/restore"),
      page.getByRole("button", { name: "Restore Five vases, one glaze" }).click(),
    ]);
    await page.getByText("Restored “Five vases, one glaze”.").first().waitFor();
    assert.equal(await undo.count(), 0, "there is nothing left to undo");
    await page.getByRole("button", { name: "Open", exact: true }).last().click();
    await deletePost();
    await undo.waitFor();
    await restoreFromTrash(fixture.service.deps, owner, { id: postIds[1] ?? "" });
    expectFailure(page.context(), 404, `/trash/${postIds[1]}/restore`);
    await undo.click();
    await page.getByText("It was already restored.").first().waitFor();
    await page.getByRole("link", { name: "Five vases, one glaze" }).click();
    await deletePost();
    await undo.waitFor();
    await assistant.call("delete_post", { postId: postIds[2] });

    await page.getByRole("link", { name: "Trash" }).click();
    const items = page.getByRole("list", { name: "Trash" }).getByRole("listitem");
    await items.filter({ hasText: "Fog over the harbour" }).getByText(`by ${attribution}`).waitFor();
    await items.filter({ hasText: "Five vases, one glaze" }).getByText("30 days left").waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: "Restore Fog over the harbour" }).click();
    await items.filter({ hasText: "Fog over the harbour" }).waitFor({ state: "detached" });
    assert.equal((await readPost(postIds[2] ?? "")).title, "Fog over the harbour");
    const toast = page.getByRole("listitem").filter({ hasText: "Restored “Fog over the harbour”." });
    await toast.getByRole("button", { name: "Open" }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/posts/${postIds[2]}`));
  });

  test("Undo of a restored revision says that the post is in the trash, and restores it (HIST-5, TRASH-5)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Cranes", body: "First." });
    await updatePost(deps, owner, { postId, body: "Second." });
    await openStudioPage(`posts/${postId}?panel=history`);
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    const toast = page.getByRole("listitem").filter({ hasText: "Revision 1 restored." });
    await toast.hover(); // it stays while the pointer is on it
    expectFailure(page.context(), 404, new RegExp(`/posts/${postId}(/comments|/restore)?$`));
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
    expectFailure(page.context(), 404, new RegExp(`/posts/${postId}(/comments)?$`));
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

  test("after deleting a file, the page says where it is and offers Undo (TRASH-1)", async () => {
    await openStudioPage("assets");
    await page.getByRole("button", { name: /catalogue\.pdf/ }).click();
    await page.getByRole("button", { name: "Move to trash" }).click();
    await page.getByText("catalogue.pdf moved to the trash.").first().waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Restored “catalogue.pdf”.").first().waitFor();
    await page.getByRole("button", { name: /catalogue\.pdf/ }).waitFor();
  });

  test("emptying the trash states the number of items and is final (TRASH-4, WEB-10)", async () => {
    await openStudioPage("trash");
    await page.getByRole("button", { name: "Empty trash" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Permanently delete 1 item?" }).waitFor();
    await dialog.getByText("No one can restore what you delete here").waitFor();
    await dialog.getByRole("button", { name: "Delete 1 item" }).click();
    await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
    await checkAccessibility();
  });

  test("names accounts and counts their files if it keeps texts and files per account (UNDO-2)", async () => {
    const { deps } = fixture.service;
    const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
    const { postId, assetIds } = await addPost(deps, owner, { title: "Maps", files: 2 });
    await changeAsAssistant(postId, { variants: [{ connectionId, assetIds: assetIds.slice(1) }] });
    await updatePost(deps, owner, { postId, variants: [{ connectionId, body: "Maps of the harbour." }] });
    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    await page.getByLabel("Last hour").check();
    const values = page.getByRole("region", { name: "Kept because of later changes" }).locator("dd");
    await values.getByText("harbour, 1 of 2 files", { exact: true }).waitFor();
    await values.getByText("harbour: Maps of the harbour.", { exact: true }).waitFor();
  });

  test("says that a scheduled publication sends a restored revision, or needs a new approval (HIST-5, PUB-3)", async () => {
    const { deps } = fixture.service;
    const { id: postId } = await createPost(deps, owner, { title: "Anchorage", body: "First." });
    await updatePost(deps, owner, { postId, body: "Second." });
    const connectionIds = [await newConnection(deps, owner, "quay", "sandbox")];
    const at = new Date(Date.now() + 86_400_000).toISOString();
    await publishPost(deps, owner, { postId, connectionIds, at });
    await openStudioPage(`posts/${postId}?panel=history`);
    await page.getByText("Scheduled publications then send the restored content.").waitFor();
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    await page
      .getByText(/^Revision 1 restored\. Will be published with this content: quay, .*\d\d:\d\d\.$/)
      .first()
      .waitFor();
    await deps.studios.update(owner.studio.id, { approval: "everyone" });
    const member = await newMember(deps, owner, "member", await newUser(deps, { name: "Cleo Roth" }));
    const memberPage = await (await fixture.openContext(member)).newPage();
    await memberPage.goto(`${base}/studios/${owner.studio.id}/posts/${postId}?panel=history`);
    await memberPage.getByText("an owner or admin needs to approve it again.").first().waitFor();
    await memberPage.getByRole("button", { name: "Restore revision 2" }).click();
    await memberPage
      .getByText(/^Revision 2 restored\. Needs a new approval: quay, .*\d\d:\d\d\.$/)
      .first()
      .waitFor();
    await memberPage.context().close();
  });

  test("the dry run names more deleted posts than a page of the trash lists, and says that they are restored (UNDO-6)", async () => {
    const { deps } = fixture.service;
    const sketches = Array.from({ length: 51 }, (_, i) => `Sketch ${i + 1}.`);
    const sketchIds: string[] = [];
    for (const title of sketches) sketchIds.push((await createPost(deps, owner, { title, body: "" })).id);
    for (const postId of sketchIds) await assistant.call("delete_post", { postId });
    await openStudioPage("clients");
    await page.getByRole("link", { name: `Undo changes by ${attribution}` }).click();
    await page.getByLabel("Last hour").check();
    const rows = page.getByRole("list", { name: "What would be undone" }).getByRole("listitem");
    await rows.first().waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    for (const title of sketches) await rows.filter({ hasText: title }).getByText("Restore from the trash").waitFor();
    assert.deepEqual(errors, []);
  });
});
