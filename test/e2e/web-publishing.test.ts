import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { getPublicationDetail } from "#domain/publishing/get-publication-detail.ts";
import type { PublicationView } from "#domain/publishing/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { resolveLocalTime, toLocalTime } from "../../web/src/publishing/zoned-time.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { findViolations } from "../support/axe.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { blockPolls, resizeWindow, waitForFit, waitForMenu } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import type { SandboxPostView } from "../support/publishing-fixture.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const timezone = "Europe/Berlin";

describe("publishing in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let base: string;
  let assistant: Assistant;
  let postId: string;
  let connectionId: string;
  const errors: string[] = [];

  before(async () => {
    fixture = await startWebFixture();
    base = fixture.service.base;
    fixture.service.startWorker();
    const { deps } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    await deps.studios.update(owner.studio.id, { timezone });
    const context = await fixture.openContext(owner, { viewport: desktop, bypassCSP: true });
    page = await context.newPage();
    page.on("pageerror", (error) => void errors.push(error.message));
  });
  after(async () => {
    await assistant?.close();
    await fixture?.service.stopWorker();
    await fixture?.close();
  });

  const openStudioPage = (path: string) => page.goto(`${base}/studios/${owner.studio.id}/${path}`);
  const addPost = async (title: string) =>
    (await createPost(fixture.service.deps, owner, { title, body: `${title}.` })).id;
  const readPublications = async (id: string) =>
    (await getPost(fixture.service.deps, owner, { postId: id })).publications ?? [];
  const listSandboxTexts = async (): Promise<string[]> => {
    const { posts } = (await (await fetch(`${base}/sandbox/posts`)).json()) as { posts: SandboxPostView[] };
    return posts.map(({ text }) => text);
  };
  const checkAccessibility = async (): Promise<void> => {
    const size = page.viewportSize();
    assert.deepEqual(await findViolations(page), []);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      await page.waitForTimeout(100);
      await waitForFit(page);
    }
    if (size) await page.setViewportSize(size);
  };

  test("without an account, the post and the Publications page lead to the Platforms page", async () => {
    await openStudioPage("publications");
    await page.getByRole("heading", { name: "Nothing published yet" }).waitFor();
    await checkAccessibility();
    await openStudioPage(`posts/${await addPost("Harbour")}`);
    await page.getByRole("link", { name: "Platforms page" }).click();
    await page.getByRole("button", { name: "Connect Sandbox" }).click();
    await page.getByRole("button", { name: "Continue to Sandbox" }).click();
    await page.getByLabel("Account").fill("blue-harbour");
    await page.getByRole("button", { name: "Allow Atelier to post" }).click();
    await page.getByRole("heading", { name: "Sandbox is connected" }).waitFor();
    const [connection] = await fixture.service.deps.platformStore.list(owner.studio.id);
    connectionId = connection?.id ?? "";
    assistant = await connectAssistant(`${base}/mcp`, await page.context().newPage(), "Claude");
  });

  test("an assistant drafts and proposes, a person approves on a phone, and the assistant sees it published", async () => {
    await openStudioPage("posts");
    ({ id: postId } = await assistant.call("create_post", { title: "Fog", body: "Fog over the harbour." }));
    await page.getByRole("link", { name: "Fog" }).waitFor();
    const { publications } = await assistant.call("publish_post", { postId, connectionIds: [connectionId] });
    assert.equal(publications[0].state, "proposed");
    await page.getByRole("link", { name: "Publications 1 waiting for approval" }).waitFor();

    await page.setViewportSize(phone);
    await page.getByRole("button", { name: "Menu 1 waiting for approval", exact: true }).click();
    await page.getByRole("link", { name: /^Publications/ }).click();
    await page.getByRole("link", { name: "Approvals 1 waiting for approval" }).click();
    const proposal = page.getByRole("list", { name: "Waiting for approval" }).locator("> li");
    await proposal.getByRole("group", { name: "Text" }).getByText("Fog over the harbour.").waitFor();
    await proposal.getByText("by Claude, for Ada Berg").waitFor();
    await proposal.getByText("As soon as it is approved").waitFor();
    assert.deepEqual(await listSandboxTexts(), []);
    await checkAccessibility();

    // The assistant changes the text while the person reads it: the approval is for what the person saw.
    const { revision } = await assistant.call("get_post", { postId });
    await blockPolls(page, "**/posts/*"); // the page has not noticed yet
    await assistant.call("update_post", { postId, body: "Fog over the whole harbour.", revision });
    expectFailure(page.context(), 409, "/approve");
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).click();
    await page.unroute("**/posts/*");
    await proposal.getByText("The post changed while you were reviewing it.").waitFor();
    assert.match((await proposal.locator("ins").textContent()) ?? "", /added: whole/);
    assert.deepEqual(await listSandboxTexts(), []);
    await checkAccessibility();
    await page.getByRole("button", { name: "Show the new version" }).click();
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).click();
    await page.getByText("“Fog” approved.").first().waitFor();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
    await waitUntil(async () => (await listSandboxTexts()).length > 0, { description: "the post is public" });
    assert.deepEqual(await listSandboxTexts(), ["Fog over the whole harbour."]);
    // The post is public before the worker has saved that.
    await waitUntil(async () => (await readPublications(postId))[0]?.state === "published", {
      description: "the publication is published",
    });
    const list = await assistant.call("list_publications", { postId });
    assert.deepEqual(
      list.publications.map(({ state, account, approvedBy }: PublicationView) => [state, account, approvedBy?.name]),
      [["published", "blue-harbour", "Ada Berg"]],
    );
    assert.match(list.publications[0].url, /\/sandbox\/posts\//);

    await page.setViewportSize(desktop);
    await openStudioPage("publications");
    const row = page.getByRole("list", { name: "Publications" }).getByRole("listitem");
    await row.getByText("Published", { exact: true }).waitFor();
    await checkAccessibility();
    await row.getByRole("link", { name: "Fog" }).click();
    const timeline = page.getByRole("list", { name: "Timeline" });
    await timeline.getByText("Requested by Claude, for Ada Berg").waitFor();
    await timeline.getByText("Approved by Ada Berg").waitFor();
    assert.deepEqual(
      (await timeline.getByRole("listitem").locator("p:first-child").allTextContents()).map((text) => text.trim()),
      [
        "Requested by Claude, for Ada Berg",
        "Approved by Ada Berg, revision 2",
        "Publishing started",
        "Sent to the platform",
        "Published",
      ],
    );
    await page.getByRole("group", { name: "Text" }).getByText("Fog over the whole harbour.").waitFor();
    await checkAccessibility();
  });

  test("schedules in the studio's time zone, reschedules and cancels", async () => {
    const id = await addPost("Lighthouse");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.getByLabel("blue-harbour").isChecked(), "the only account is chosen");
    await dialog.getByText(`In the studio’s time zone, ${timezone}.`).waitFor();
    const localTime = `${toLocalTime(Date.now() + 20 * 86_400_000, timezone).slice(0, 11)}09:30`;
    await dialog.getByLabel("Date and time").fill(localTime);
    await checkAccessibility();
    await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Scheduled", { exact: true }).waitFor();
    await dialog.waitFor({ state: "detached" });
    const time = resolveLocalTime(localTime, timezone);
    const [publication] = await readPublications(id);
    assert.equal(Date.parse(publication?.scheduledFor ?? ""), Date.parse(time.kind === "valid" ? time.iso : ""));
    await row.getByText("09:30").waitFor();
    // The publication's row replaces the account's row.
    await page.getByRole("list", { name: "Accounts" }).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor();
    const publishButtons = page.getByRole("button", { name: /^(Publish|Schedule)…$/ });
    assert.equal(await publishButtons.count(), 0, "no account is left to choose");
    await page.keyboard.press("p");
    assert.equal(await dialog.count(), 0);
    await checkAccessibility();

    await row.getByRole("button", { name: "Reschedule blue-harbour" }).click();
    await dialog.getByRole("heading", { name: "Reschedule “Lighthouse” for blue-harbour" }).waitFor();
    assert.equal(await dialog.getByLabel("Date and time").inputValue(), localTime);
    await dialog.getByLabel("Date and time").fill(localTime.replace("09:30", "10:45"));
    await dialog.getByRole("button", { name: "Save time" }).click();
    await page
      .getByText(/^Rescheduled to .*, 10:45 (UTC|GMT[+]\d) \(blue-harbour\)\.$/)
      .first()
      .waitFor();
    await row.getByText("10:45").waitFor();

    const colors = await page.evaluate<string[]>(`[...document.querySelectorAll("main span")]
      .filter(({ childElementCount, textContent }) => childElementCount === 0 && textContent === "Scheduled")
      .map((badge) => getComputedStyle(badge).color)`);
    assert.deepEqual([colors.length, new Set(colors).size], [2, 1], "header and row have the same color");
    await openStudioPage(`publications?postId=${id}`);
    await page.getByText(/^scheduled (just now|.* ago) by Ada Berg$/).waitFor();
    await page.getByRole("link", { name: "Lighthouse" }).click();
    const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    const request = events.filter({ hasText: "Scheduled by Ada Berg, no approval needed" });
    await request.getByText(/^For .*, 09:30 GMT[+]\d$/).waitFor();
    await events
      .filter({ hasText: "Rescheduled by Ada Berg" })
      .getByText(/^For .*, 10:45 GMT[+]\d$/)
      .waitFor();
    await updatePost(fixture.service.deps, owner, { postId: id, title: "Lighthouses" });
    await events.getByText(/^Post edited, now revision \d+$/).waitFor();
    await openStudioPage(`posts/${id}`);

    const cancelButton = row.getByRole("button", { name: "Cancel publication to blue-harbour" });
    assert.equal(await cancelButton.textContent(), "Cancel publication");
    await cancelButton.click();
    await dialog.getByRole("button", { name: "Cancel publication" }).click();
    await row.getByText("Canceled", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Publish to blue-harbour" }).waitFor();
    await publishButtons.first().waitFor();
    assert.deepEqual(await publishButtons.allInnerTexts(), ["Schedule…"], "the row has the other button");
    assert.equal((await readPublications(id))[0]?.state, "canceled");
  });

  test("a user who asks for approval can view and withdraw the request, and is not asked to review it (PUB-4)", async () => {
    await openStudioPage(`posts/${await addPost("Ferry")}`);
    await page.getByRole("button", { name: "Publish…" }).waitFor();
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Ask for approval…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Someone checks it under Approvals").waitFor();
    assert.equal(await dialog.getByRole("checkbox", { name: "Ask for approval" }).count(), 0);
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByRole("link", { name: "View blue-harbour" }).waitFor();
    assert.equal(await row.getByRole("link", { name: "Review blue-harbour" }).count(), 0);
    const isCounted = page.waitForResponse(/publications\?state=proposed&limit=100/);
    await openStudioPage("publications/approvals");
    await page.getByRole("heading", { name: "Ferry" }).waitFor();
    await isCounted;
    await page.getByRole("link", { name: "Publications", exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Approvals", exact: true }).waitFor();
    await page.getByRole("button", { name: "Withdraw request for blue-harbour" }).click();
    await dialog.getByRole("button", { name: "Withdraw request" }).click();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
  });

  test("says that a local time does not exist when daylight saving time starts", async () => {
    const { deps } = fixture.service;
    const id = await addPost("Early");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Date and time").fill(`${findSpringSunday()}T02:30`);
    await dialog.getByText(`This time doesn’t exist in ${timezone}`).waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Schedule", exact: true }).isDisabled());
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await getPost(deps, owner, { postId: id })).publications?.length, 0);
  });

  test("publishes an account's own text, and says what the platform rejects", async () => {
    const id = await addPost("Vases");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("tab", { name: /^blue-harbour/ }).click();
    const field = page.getByRole("textbox", { name: "Text for blue-harbour" });
    await field.fill("x".repeat(300));
    await page.getByText("300 / 280, 20 too many").waitFor();
    await page.getByText("Too long for Sandbox.").waitFor();
    await page
      .getByRole("list", { name: "Accounts" })
      .getByText(/The text has 300 characters/)
      .waitFor();
    await checkAccessibility();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByText(/^Can’t publish: The text has 300 characters/).waitFor();
    assert.ok(await dialog.getByLabel("blue-harbour").isDisabled());
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await field.fill("Vases, for the harbour.");
    await page.getByRole("tab", { name: "blue-harbour own text 23 / 280" }).waitFor();
    // The dialog waits until the text is saved.
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByLabel("blue-harbour").check();
    await dialog.getByRole("button", { name: "Publish now" }).click();
    const row = page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
    await row.getByText("Published", { exact: true }).waitFor();
    assert.ok((await listSandboxTexts()).includes("Vases, for the harbour."));
    // The publication's row replaces the account's row.
    await page.getByRole("list", { name: "Accounts" }).waitFor({ state: "detached" });
    await page.getByText("Changes here don’t change the published post.").waitFor();
    await row.getByRole("button", { name: "Publish again to blue-harbour" }).click();
    assert.ok(await dialog.getByLabel("blue-harbour").isChecked());
    await dialog.getByText(/^Sandbox\. Already published: /).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Schedule…" }).click();
    await dialog.getByText(/^Sandbox\. Already published: /).waitFor();
    assert.ok(!(await dialog.getByLabel("blue-harbour").isChecked()), "publishing it twice needs a choice");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  test("an empty post is not ready for an account until it has text (PUB-1)", async () => {
    const { id } = await createPost(fixture.service.deps, owner, { title: "Blank", body: "" });
    await openStudioPage(`posts/${id}`);
    const account = page.getByRole("list", { name: "Accounts" }).getByRole("listitem");
    await account.getByText("Write some text or add a file first.").waitFor();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByText("Sandbox. Write some text or add a file first.").waitFor();
    assert.ok(await dialog.getByLabel("blue-harbour").isDisabled());
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Not blank.");
    await account.getByText("Can publish", { exact: true }).waitFor();
    await page.getByText("Saved", { exact: true }).first().waitFor();
    await updatePost(fixture.service.deps, owner, { postId: id, status: "archived" });
    await page.getByText("This post is archived. To publish it, restore it as a draft first.").waitFor();
    assert.equal(await account.getByText("Can publish", { exact: true }).count(), 0);
  });

  test("publishes only the version that the user saw, on the page of a publication and in the editor (PUB-3, B1)", async () => {
    const { deps } = fixture.service;
    const id = await addPost("Tide");
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const { publications } = await publishPost(deps, owner, { postId: id, connectionIds: [connectionId], at });
    const publicationId = publications[0]?.id ?? "";
    await assistant.call("cancel_publication", { publicationId });
    await assistant.call("update_post", { postId: id, body: "Edited unseen.", revision: 1 });
    await openStudioPage(`publications/${publicationId}`);
    await page.getByRole("group", { name: "Text" }).getByText("Tide.").waitFor();
    await page.getByRole("button", { name: "Publish to blue-harbour" }).click();
    const dialog = page.getByRole("dialog");
    const notice = dialog.getByText("The post changed after the version that you saw.");
    await notice.waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Publish now" }).isDisabled());
    await checkAccessibility();
    await dialog.getByRole("link", { name: "Open post" }).click();
    const field = page.getByRole("textbox", { name: "Text", exact: true });
    await field.getByText("Edited unseen.").waitFor();

    await page.getByRole("button", { name: "Publish to blue-harbour" }).click();
    await dialog.getByRole("button", { name: "Publish now" }).waitFor();
    await blockPolls(page, "**/posts/*"); // the page has not noticed yet
    await assistant.call("update_post", { postId: id, body: "Edited again.", revision: 2 });
    expectFailure(page.context(), 409, `/posts/${id}/publications`);
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await notice.waitFor();
    await page.unroute("**/posts/*");
    assert.deepEqual(
      (await readPublications(id)).map(({ state }) => state),
      ["canceled"],
    );
    await dialog.getByRole("button", { name: "Show the new version" }).click();
    await field.getByText("Edited again.").waitFor();
    await page.getByRole("button", { name: "Publish to blue-harbour" }).click();
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Publishing now.").first().waitFor();
    await waitUntil(async () => (await listSandboxTexts()).includes("Edited again."), {
      description: "the post is public",
    });
    assert.ok(!(await listSandboxTexts()).includes("Edited unseen."));
  });

  test("counts like each platform while the user types (PUB-20)", async () => {
    const { deps } = fixture.service;
    for (const platform of ["x", "mastodon", "threads", "linkedin", "pinterest"])
      await newConnection(deps, owner, `north-${platform}`, platform);
    const id = await addPost("Count");
    await openStudioPage(`posts/${id}`);
    const field = page.getByRole("textbox", { name: "Text", exact: true });
    for (const text of [
      "👨‍👩‍👧‍👦🚀 1️⃣ café",
      `See https://example.com/${"long/".repeat(30)}page.`,
      "日本語のテキスト、한국어",
      "x".repeat(3001),
    ]) {
      await field.fill(text);
      await waitUntil(async () => (await getPost(deps, owner, { postId: id })).body === text, {
        description: "the text is saved",
      });
      const { validation = [] } = await getPost(deps, owner, { postId: id });
      assert.equal(validation.length, 6);
      for (const { account, text: textCount } of validation) {
        assert.ok(textCount, account);
        const label = `${textCount.length.toLocaleString("en")} / ${textCount.max.toLocaleString("en")}`;
        await page.getByRole("tab", { name: `${account} ${label}` }).waitFor();
      }
    }
    await page.getByText("Too long for", { exact: false }).first().waitFor();
    await checkAccessibility();
  });

  test("disables accounts that it can't publish to, and shows problems that only the server knows", async () => {
    const { deps } = fixture.service;
    const id = await addPost("Paper");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Publishing to Pinterest is not available yet.").waitFor();
    assert.ok(await dialog.getByLabel("north-pinterest").isDisabled());
    const accounts = dialog.getByRole("group", { name: "Accounts" });
    await accounts.getByRole("status").getByText("Choose at least one account.").waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Publish now" }).isDisabled());
    await checkAccessibility();
    await dialog.getByLabel("blue-harbour").check();
    await dialog.getByText("Choose at least one account.").waitFor({ state: "detached" });
    await blockPolls(page, "**/posts/*"); // the page does not notice the change
    await updatePost(deps, owner, { postId: id, body: "x".repeat(300) });
    // With the revision, the server would report the change instead of the problem.
    await page.route(`**/posts/${id}/publications`, (route) =>
      route.continue({ postData: { connectionIds: [connectionId] } }),
    );
    expectFailure(page.context(), 409, `/posts/${id}/publications`);
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await dialog.getByText(/The text has 300 characters/).waitFor();
    await dialog.getByText("Nothing was sent.").waitFor();
    await page.unroute("**/posts/*");
    assert.deepEqual(await readPublications(id), []);

    // The text is too long for two of the accounts now. The one that the user chose stays visible.
    const others = dialog.getByRole("button", { name: "2 accounts can’t take this post" });
    await others.waitFor();
    assert.ok(await dialog.getByLabel("blue-harbour").isDisabled());
    assert.equal(await dialog.getByLabel("north-x").count(), 0);
    await others.click();
    assert.ok(await dialog.getByLabel("north-x").isDisabled());
    await checkAccessibility();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  test("if everyone needs approval, a member's publication waits for an owner", async () => {
    const { deps } = fixture.service;
    await openStudioPage("settings");
    await page.getByLabel("Everyone except owners and admins").check();
    await page.getByRole("button", { name: "Save approval" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await checkAccessibility();
    const member = await newMember(deps, owner, "member", await newUser(deps, { name: "Bo Dahl" }));
    const id = await addPost("Kiln");
    const memberPage = await (await fixture.openContext(member, { viewport: desktop })).newPage();
    await memberPage.goto(`${base}/studios/${owner.studio.id}/posts/${id}`);
    // Every button and menu item that leads to a request says so.
    await memberPage.getByRole("button", { name: "Ask for approval…" }).waitFor();
    assert.equal(await memberPage.getByRole("button", { name: /^(Publish|Schedule)/ }).count(), 0);
    await memberPage.getByRole("link", { name: "Posts" }).first().click();
    await memberPage.getByRole("button", { name: "Actions for Kiln" }).click();
    await memberPage.getByRole("menuitem", { name: "Ask for approval…" }).waitFor();
    assert.equal(await memberPage.getByRole("menuitem", { name: "Schedule…" }).count(), 0);
    await waitForMenu(memberPage);
    await memberPage.keyboard.press("Escape");
    await memberPage.getByRole("link", { name: "Kiln" }).click();
    await memberPage.getByRole("button", { name: "Ask for approval…" }).click();
    const dialog = memberPage.getByRole("dialog", { name: "Ask for approval" });
    await dialog.getByText("An owner or admin approves it before it goes out.").waitFor();
    await dialog.getByLabel("blue-harbour").check();
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    await memberPage.getByText("Sent for approval to the owners and admins.").first().waitFor();
    const publications = memberPage.getByRole("list", { name: "Publications of this post" });
    await publications.getByText("Waiting for approval", { exact: true }).waitFor();
    assert.equal(await memberPage.getByRole("link", { name: "Review blue-harbour" }).count(), 0);
    assert.equal(await memberPage.getByRole("button", { name: "Mark ready" }).count(), 0);
    // The member withdraws the request, and asks again.
    await publications.getByRole("button", { name: "Withdraw request for blue-harbour" }).click();
    const confirmation = memberPage.getByRole("dialog", { name: "Withdraw the request to publish to blue-harbour?" });
    await confirmation.getByRole("button", { name: "Withdraw request" }).click();
    await publications.getByText("Canceled", { exact: true }).waitFor();
    await publications.getByRole("button", { name: "Ask for approval to publish to blue-harbour" }).click();
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    await publications.getByText("Waiting for approval", { exact: true }).waitFor();
    await memberPage.getByRole("link", { name: "View blue-harbour" }).click();
    await memberPage.getByText("An owner or admin needs to approve this.").waitFor();
    assert.equal(await memberPage.getByRole("button", { name: /^Approve/ }).count(), 0);
    await memberPage.context().close();

    // An edit by the member after the approval asks again.
    await openStudioPage("publications/approvals");
    await page.getByRole("button", { name: "Set a time for blue-harbour" }).click();
    const timeDialog = page.getByRole("dialog", { name: "Set a time to publish “Kiln” to blue-harbour" });
    await timeDialog.getByRole("button", { name: "Save time" }).click();
    await page
      .getByText(/^Time set to .* \(blue-harbour\)\.$/)
      .first()
      .waitFor();
    const approve = page.getByRole("button", { name: /^Approve for \w+ \d+ \w+, \d\d:\d\d, blue-harbour$/ });
    await approve.click();
    await page
      .getByText(/^“Kiln” approved for \w+ \d+ \w+, \d\d:\d\d \(blue-harbour\)\.$/)
      .first()
      .waitFor();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
    await updatePost(deps, member, { postId: id, body: "Another text." });
    await page.getByRole("button", { name: "Show the new version" }).click();
    await page.getByRole("group", { name: "Text" }).getByText("Another text.").waitFor();
    const changes = page.getByRole("region", { name: "Changes since the approval" });
    await changes.getByText("Changed after it was approved, last by Bo Dahl").waitFor();
    assert.match((await changes.locator("del").first().textContent()) ?? "", /removed: Kiln/);
    assert.match((await changes.locator("ins").first().textContent()) ?? "", /added: Another/);
    await resizeWindow(page, { width: 390, height: 640 });
    const box = await approve.boundingBox();
    assert.ok(box && box.y + box.height <= 640, `the button is in view without scrolling: ${JSON.stringify(box)}`);
    assert.ok(box.width > 340, `the button has a row of its own: ${JSON.stringify(box)}`);
    assert.ok(Number(await page.evaluate("document.documentElement.scrollHeight")) > 740, "the page is longer");
    await page.getByRole("button", { name: "Reschedule blue-harbour" }).click();
    const rescheduling = page.getByRole("dialog", { name: /^Reschedule/ });
    await rescheduling.waitFor();
    const padding = await page.evaluate<string>("getComputedStyle(document.querySelector('dialog[open]')).paddingLeft");
    assert.equal(padding, "20px", "the buttons' padding does not apply to the dialog");
    await rescheduling.getByRole("button", { name: "Cancel" }).click();
    await page.setViewportSize(desktop);
    await checkAccessibility();
    const scheduledId = await addPost("Glaze");
    const at = new Date(Date.now() + 86_400_000).toISOString();
    await publishPost(deps, owner, { postId: scheduledId, connectionIds: [connectionId], at });
    await updatePost(deps, member, { postId: scheduledId, body: "A new glaze." });
    await changes.getByText("Changed after it was scheduled, last by Bo Dahl").waitFor();
    const [{ id: scheduledPublicationId } = { id: "" }] = await readPublications(scheduledId);
    await openStudioPage(`publications/${scheduledPublicationId}`);
    await page.getByText("Changed by Bo Dahl, so it now needs approval").waitFor();
    await openStudioPage("activity");
    await page.getByText("so it needs a new approval").first().waitFor();
    await page.getByText("Atelier").first().waitFor();
    await checkAccessibility();
  });

  test("filters publications by state and time, and says how to resolve an unconfirmed publication", async () => {
    await openStudioPage("publications");
    const rows = page.getByRole("list", { name: "Publications" }).getByRole("listitem");
    await page.getByLabel("Status").selectOption("canceled");
    await waitUntil(async () => (await rows.count()) === 4, { description: "only canceled publications are listed" });
    assert.equal(await rows.getByText("Canceled", { exact: true }).count(), 4);
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByRole("heading", { name: "No matching publications" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Clear filters" }).count(), 0, "shows one of two buttons");
    await page.getByRole("link", { name: "Clear filters" }).click();
    await waitUntil(async () => (await rows.count()) > 4, { description: "all publications are listed" });
    await page.getByLabel("Status").selectOption("canceled");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await waitUntil(async () => (await rows.count()) > 4, { description: "all publications are listed" });
    assert.equal(await page.getByRole("button", { name: "Clear filters" }).count(), 0);
    assert.doesNotMatch(page.url(), /\?/);

    const unconfirmedText = "The platform didn’t confirm the post. Check the account, then say whether it is there.";
    const [{ id: publicationId } = { id: "" }] = await readPublications(postId);
    const publishedDetail = await getPublicationDetail(fixture.service.deps, owner, { publicationId });
    await page.route(`**/api/**/publications/${publishedDetail.id}`, (route) =>
      route.fulfill({
        json: {
          ...publishedDetail,
          state: "unconfirmed",
          publishedAt: null,
          url: null,
          problem: { code: "unconfirmed", message: unconfirmedText },
        },
      }),
    );
    await page.route("**/resolve", (route) => route.fulfill({ json: publishedDetail }));
    await openStudioPage(`publications/${publishedDetail.id}`);
    await page.getByText(unconfirmedText).waitFor();
    assert.equal(await page.getByText(/didn’t confirm|Waiting for a decision/).count(), 1, "says it once");
    await page.getByRole("button", { name: "No, publish again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("the post appears twice").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Yes, mark as published…" }).click();
    await dialog.getByText("Do this only if you saw the post on blue-harbour.").waitFor();
    await dialog.getByLabel("URL of the post (optional)").fill(`${base}/sandbox/posts/1`);
    const [request] = await Promise.all([
      page.waitForRequest("**/resolve"),
      dialog.getByRole("button", { name: "Mark as published" }).click(),
    ]);
    assert.deepEqual(request.postDataJSON(), { outcome: "published", url: `${base}/sandbox/posts/1` });
    await dialog.waitFor({ state: "detached" });
    await checkAccessibility();
    assert.deepEqual(errors, []);
  });

  test("an undo lists a client's publications, cancels those that have not started, and keeps the others (UNDO-9)", async () => {
    const lighthouseId = await addPost("Lighthouse");
    await assistant.call("publish_post", { postId: lighthouseId, connectionIds: [connectionId] });
    await openStudioPage("clients");
    await page.getByRole("link", { name: "Undo changes" }).first().click();
    await page.getByLabel("Last hour").check(); // the default is today, which may have just started
    const list = page.getByRole("list", { name: "What would be undone" });
    const row = list.getByRole("listitem").filter({ hasText: "Lighthouse to blue-harbour" });
    await row.getByText("Cancel", { exact: true }).waitFor();
    await list.getByText("Stays published").first().waitFor();
    await checkAccessibility();
    await page.getByRole("button", { name: /^Undo \d+ changes?$/ }).click();
    const result = page.getByRole("list", { name: "Undone" }).getByRole("listitem");
    await result.filter({ hasText: "Lighthouse to blue-harbour" }).getByText("Canceled", { exact: true }).waitFor();
    const { publications } = await assistant.call("list_publications", { postId: lighthouseId });
    assert.deepEqual(
      publications.map(({ state }: { state: string }) => state),
      ["canceled"],
    );
  });

  test("lists proposals by their time, those without a time first", async () => {
    const day = 86_400_000;
    const times = { Sooner: undefined, Late: Date.now() + 3 * day, Early: Date.now() + 2 * day };
    for (const [title, time] of Object.entries(times))
      await assistant.call("publish_post", {
        postId: await addPost(title),
        connectionIds: [connectionId],
        ...(time === undefined ? {} : { at: new Date(time).toISOString() }),
      });
    await openStudioPage("publications/approvals");
    const headings = page.getByRole("list", { name: "Waiting for approval" }).locator("> li > h2");
    for (const title of Object.keys(times)) await headings.filter({ hasText: title }).waitFor();
    const titles = (await headings.allTextContents()).filter((title) => title in times);
    assert.deepEqual(titles, ["Sooner", "Early", "Late"]);
    await openStudioPage("publications?state=proposed");
    const links = page.getByRole("list", { name: "Publications" }).getByRole("link", { name: /^(Sooner|Early|Late)$/ });
    await links.nth(2).waitFor();
    assert.deepEqual(await links.allTextContents(), ["Sooner", "Early", "Late"]);
    await page.getByText("Earliest publishing time first. Times are in ").waitFor();
    await openStudioPage("publications");
    await page.getByText("Newest request first. Times are in ").waitFor();
    await links.nth(2).waitFor();
    assert.deepEqual(await links.allTextContents(), ["Early", "Late", "Sooner"]);
  });

  test("on a phone, a toast does not cover the buttons of the next proposal (WEB-12)", async () => {
    await page.setViewportSize(phone);
    await openStudioPage("publications/approvals");
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).first().click();
    const toast = page.getByRole("listitem").filter({ hasText: /approved\. Publishing to blue-harbour in/ });
    await toast.waitFor();
    const toastBox = await toast.boundingBox();
    assert.ok(toastBox);
    const bars = await page.locator("[data-sticky-actions]").all();
    for (const bar of bars) {
      const { height = 0 } = (await bar.boundingBox()) ?? {};
      for (const button of await bar.getByRole("button").all())
        assert.ok(((await button.boundingBox())?.height ?? 0) < 45, "each label is on one line");
      const toastBottom = toastBox.y + toastBox.height;
      assert.ok(toastBottom <= phone.height - height, `the toast ends at ${toastBottom}, the bar has ${height} px`);
    }
    assert.ok(bars.length > 0);
    await page.setViewportSize(desktop);
  });

  test("a publication whose post is in the trash offers no action that can't work (WEB-12)", async () => {
    const { deps } = fixture.service;
    const trashedId = await addPost("Short-lived");
    await publishPost(deps, owner, { postId: trashedId, connectionIds: [connectionId], propose: true });
    await deletePost(deps, owner, { postId: trashedId });
    await openStudioPage("publications");
    const row = page.getByRole("listitem").filter({ hasText: "A deleted post" }).first(); // the newest request
    await row.getByText("Canceled").waitFor();
    assert.equal(await row.getByRole("button").count(), 0);
    await row.getByRole("link", { name: "A deleted post" }).click();
    await page.getByText("The post is in the trash. Restore it to see its content.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Publish|Ask)/ }).count(), 0);
    await openStudioPage(`publications?postId=${trashedId}`);
    await row.waitFor();
  });
});

/** The next last Sunday of March, on which clocks skip 02:00 to 03:00 in most of Europe. */
function findSpringSunday(): string {
  const now = new Date();
  const year = now.getUTCFullYear();
  const findLastSunday = (inYear: number): Date => {
    const lastDay = new Date(Date.UTC(inYear, 2, 31));
    return new Date(lastDay.getTime() - lastDay.getUTCDay() * 86_400_000);
  };
  const thisYear = findLastSunday(year);
  return (thisYear > now ? thisYear : findLastSunday(year + 1)).toISOString().slice(0, 10);
}
