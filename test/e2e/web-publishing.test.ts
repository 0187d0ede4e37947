import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { getPublicationDetail } from "#domain/publishing/get-publication-detail.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { assertAccessible } from "../support/axe.ts";
import { getBox } from "../support/boxes.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { holdFetches, resizeWindow } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { cancelPublications, connectSandboxAccount, listSandboxTexts } from "../support/sandbox-accounts.ts";
import { phone, plannedDay, timezone, toIso } from "../support/studio-pages.ts";
import { newMember, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { createOwner } from "../support/web-posts.ts";

const desktop = { width: 1280, height: 900 };
const plannedTime = `${plannedDay}T09:30`;

describe("publishing in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let base: string;
  let assistant: Assistant;
  let connectionId: string;

  before(async () => {
    fixture = await startWebFixture();
    base = fixture.service.base;
    fixture.service.startWorker();
    const { deps } = fixture.service;
    owner = await createOwner(deps, { timezone });
    page = await (await fixture.openContext(owner, { viewport: desktop, bypassCSP: true })).newPage();
    connectionId = await connectSandboxAccount(deps, page, `${base}/studios/${owner.studio.id}`, "blue-harbour");
    assistant = await connectAssistant(`${base}/mcp`, await page.context().newPage(), "Claude");
  });
  afterEach(async () => {
    const { deps } = fixture.service;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.setViewportSize(desktop);
    await deps.studios.update(owner.studio.id, { approval: "clients" });
    await cancelPublications(deps, owner);
    for (const { id, credentialGeneration } of await deps.platformStore.list(owner.studio.id))
      if (id !== connectionId) await deps.platformStore.deleteCredential(id, "disconnected", credentialGeneration);
  });
  after(async () => {
    await assistant?.close();
    await fixture?.service.stopWorker();
    await fixture?.close();
  });

  const openStudioPage = (path: string, target = page) => target.goto(`${base}/studios/${owner.studio.id}/${path}`);
  const addPost = async (title: string, body = `${title}.`) =>
    (await createPost(fixture.service.deps, owner, { title, body })).id;
  const publish = (postId: string, plan: { at?: string; propose?: boolean }) =>
    publishPost(fixture.service.deps, owner, { postId, connectionIds: [connectionId], ...plan });
  const change = (caller: Caller, postId: string, values: { title?: string; body?: string; status?: "archived" }) =>
    updatePost(fixture.service.deps, caller, { postId, ...values });
  const readPublications = async (id: string) =>
    (await getPost(fixture.service.deps, owner, { postId: id })).publications ?? [];
  const waitForText = (text: string) =>
    waitUntil(async () => (await listSandboxTexts(base)).includes(text), { description: `${text} is public` });
  const getRow = () => page.getByRole("list", { name: "Publications of this post" }).getByRole("listitem");
  const getDialog = () => page.getByRole("dialog");
  const getText = () => page.getByRole("textbox", { name: "Text", exact: true });
  const waitForField = (text: string) =>
    waitUntil(async () => (await getText().inputValue()) === text, { description: `the text “${text}”` });

  test("an assistant drafts and proposes, a person approves what they saw on a phone, and the assistant sees it published (PUB-3)", async () => {
    await openStudioPage("posts");
    const { id: postId } = await assistant.call("create_post", { title: "Fog", body: "Fog over the harbour." });
    await page.getByRole("link", { name: "Fog" }).waitFor();
    const { publications } = await assistant.call("publish_post", { postId, connectionIds: [connectionId] });
    assert.equal(publications[0].state, "proposed");
    await page.getByRole("link", { name: "Approvals 1 waiting for approval" }).waitFor();

    await page.setViewportSize(phone);
    await page.getByRole("button", { name: "Menu 1 waiting for approval", exact: true }).click();
    await page.getByRole("link", { name: /^Publications/ }).click();
    await page.getByRole("link", { name: "Approvals 1 waiting for approval" }).click();
    const proposal = page.getByRole("list", { name: "Waiting for approval" }).locator("> li");
    await proposal.getByRole("group", { name: "Text" }).getByText("Fog over the harbour.").waitFor();
    await proposal.getByText("by Claude, for Ada Berg").waitFor();
    await proposal.getByText("As soon as it is approved").waitFor();
    await assertAccessible(page);

    // The assistant changes the text while the person reads it.
    const { revision } = await assistant.call("get_post", { postId });
    const showPost = await holdFetches(page, "**/posts/*"); // the page has not noticed yet
    await assistant.call("update_post", { postId, body: "Fog over the whole harbour.", revision });
    expectFailure(page.context(), 409, "/approve");
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).click();
    showPost();
    await proposal.getByText("The post changed while you were reviewing it.").waitFor();
    assert.match((await proposal.locator("ins").textContent()) ?? "", /added: whole/);
    assert.deepEqual(await listSandboxTexts(base), []);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Show the new version" }).click();
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).click();
    await page.getByText("“Fog” approved.").first().waitFor();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
    // The post is public before the worker has saved that.
    await waitUntil(async () => (await readPublications(postId))[0]?.state === "published");
    assert.deepEqual(await listSandboxTexts(base), ["Fog over the whole harbour."]);
    const list = await assistant.call("list_publications", { postId });
    assert.deepEqual(
      list.publications.map(({ state, account, approvedBy }: PublicationView) => [state, account, approvedBy?.name]),
      [["published", "blue-harbour", "Ada Berg"]],
    );
    assert.match(list.publications[0].url, /\/sandbox\/posts\//);

    await page.setViewportSize(desktop);
    await openStudioPage("publications");
    const row = page.getByRole("list", { name: "Publications" }).getByRole("listitem").filter({ hasText: "Fog" });
    await row.getByText("Published", { exact: true }).waitFor();
    await row.getByRole("link", { name: "Fog" }).click();
    const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem").locator("p:first-child");
    await events.nth(4).waitFor();
    assert.deepEqual(
      (await events.allTextContents()).map((text) => text.trim()),
      [
        "Requested by Claude, for Ada Berg",
        "Approved by Ada Berg, revision 2",
        "Publishing started",
        "Sent to the platform",
        "Published",
      ],
    );
    await page.getByRole("group", { name: "Text" }).getByText("Fog over the whole harbour.").waitFor();
    await assertAccessible(page);
  });

  test("schedules in the studio's time zone, reschedules and cancels (PUB-10)", async () => {
    const id = await addPost("Lighthouse");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = getDialog();
    const time = dialog.getByLabel("Date and time");
    const submit = dialog.getByRole("button", { name: "Schedule", exact: true });
    await dialog.getByRole("checkbox", { name: "blue-harbour", checked: true }).waitFor(); // the only account
    await dialog.getByText(`In the studio’s time zone, ${timezone}.`).waitFor();
    await time.fill("2050-03-27T02:30");
    await dialog.getByText(`This time doesn’t exist in ${timezone}`).waitFor(); // daylight saving time starts then
    assert.ok(await submit.isDisabled());
    await time.fill(plannedTime);
    await assertAccessible(page);
    await submit.click();
    await getRow().getByText("Scheduled", { exact: true }).waitFor();
    const [publication] = await readPublications(id);
    assert.equal(Date.parse(publication?.scheduledFor ?? ""), Date.parse(toIso(plannedTime)));
    await getRow().getByText("09:30").waitFor();
    // The publication's row replaces the account's row.
    await page.getByRole("list", { name: "Accounts" }).waitFor({ state: "detached" });
    const publishButtons = page.getByRole("button", { name: /^(Publish|Schedule)…$/ });
    await publishButtons.first().waitFor({ state: "detached" }); // no account is left to choose
    await page.keyboard.press("p");
    assert.equal(await dialog.count(), 0);

    await getRow().getByRole("button", { name: "Reschedule blue-harbour" }).click();
    await dialog.getByRole("heading", { name: "Reschedule “Lighthouse” for blue-harbour" }).waitFor();
    assert.equal(await time.inputValue(), plannedTime);
    await time.fill(plannedTime.replace("09:30", "10:45"));
    await dialog.getByRole("button", { name: "Save time" }).click();
    await page
      .getByText(/^Rescheduled to .*, 10:45 (UTC|GMT[+]\d) \(blue-harbour\)\.$/)
      .first()
      .waitFor();
    await getRow().getByText("10:45").waitFor();
    await openStudioPage(`publications/${publication?.id}`);
    const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
    const request = events.filter({ hasText: "Scheduled by Ada Berg, no approval needed" });
    await request.getByText(/^For .*, 09:30 GMT[+]\d$/).waitFor();
    const rescheduling = events.filter({ hasText: "Rescheduled by Ada Berg" });
    await rescheduling.getByText(/^For .*, 10:45 GMT[+]\d$/).waitFor();
    await change(owner, id, { title: "Lighthouses" });
    await events.getByText(/^Post edited, now revision \d+$/).waitFor();

    await openStudioPage(`posts/${id}`);
    await getRow().getByRole("button", { name: "Cancel publication to blue-harbour" }).click();
    await dialog.getByRole("button", { name: "Cancel publication" }).click();
    await getRow().getByText("Canceled", { exact: true }).waitFor();
    await getRow().getByRole("button", { name: "Publish to blue-harbour" }).waitFor();
    assert.deepEqual(await publishButtons.allInnerTexts(), ["Schedule…"], "the row has the other button");
    assert.equal((await readPublications(id))[0]?.state, "canceled");
  });

  test("publishes an account's own text, and says what the platform rejects (PUB-6)", async () => {
    await openStudioPage(`posts/${await addPost("Vases")}`);
    await page.getByRole("tab", { name: /^blue-harbour/ }).click();
    const field = page.getByRole("textbox", { name: "Text for blue-harbour" });
    await field.fill("x".repeat(300));
    await page.getByText("300 / 280, 20 too many").waitFor();
    await page.getByText("Too long for Sandbox.").waitFor();
    const accounts = page.getByRole("list", { name: "Accounts" });
    await accounts.getByText(/The text has 300 characters/).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Publish…" }).click();
    await getDialog()
      .getByText(/^Can’t publish: The text has 300 characters/)
      .waitFor();
    assert.ok(await getDialog().getByLabel("blue-harbour").isDisabled());
    await getDialog().getByRole("button", { name: "Cancel" }).click();

    await field.fill("Vases, for the harbour.");
    await page.getByRole("tab", { name: "blue-harbour own text 23 / 280" }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    // Once the text is saved, the dialog chooses the only account by itself; a click at that moment would clear it.
    await getDialog().getByRole("checkbox", { name: "blue-harbour", checked: true }).waitFor();
    await getDialog().getByRole("button", { name: "Publish now" }).click();
    await getRow().getByText("Published", { exact: true }).waitFor();
    assert.ok((await listSandboxTexts(base)).includes("Vases, for the harbour."));
    await page.getByText("Changes here don’t change the published post.").waitFor();
    await getRow().getByRole("button", { name: "Publish again to blue-harbour" }).click();
    await getDialog()
      .getByText(/^Sandbox\. Already published: /)
      .waitFor();
    await getDialog().getByRole("checkbox", { name: "blue-harbour", checked: true }).waitFor();
  });

  test("disables accounts that it can't publish to, and shows problems that only the server knows (PUB-5)", async () => {
    const { deps } = fixture.service;
    for (const platform of ["x", "gone"]) await newConnection(deps, owner, `north-${platform}`, platform);
    const blankId = await addPost("Blank", "");
    await openStudioPage(`posts/${blankId}`);
    const dialog = getDialog();
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByText("Publishing to gone is not available yet.").waitFor();
    await dialog.getByText("Sandbox. Write some text or add a file first.").waitFor();
    for (const account of ["north-gone", "blue-harbour"])
      assert.ok(await dialog.getByLabel(account).isDisabled(), account);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await getText().fill("Not blank.");
    const canPublish = page.getByRole("list", { name: "Accounts" }).getByText("Can publish", { exact: true });
    await canPublish.first().waitFor();
    await page.getByText("Saved", { exact: true }).first().waitFor();
    await change(owner, blankId, { status: "archived" });
    await page.getByText("This post is archived. To publish it, restore it as a draft first.").waitFor();
    assert.equal(await canPublish.count(), 0);

    const id = await addPost("Paper");
    await openStudioPage(`posts/${id}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    const hint = dialog.getByRole("status").getByText("Choose at least one account.");
    await hint.waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Publish now" }).isDisabled());
    await assertAccessible(page);
    await dialog.getByLabel("blue-harbour").check();
    await hint.waitFor({ state: "detached" });
    const showPost = await holdFetches(page, "**/posts/*"); // the page does not notice the change
    await change(owner, id, { body: "x".repeat(300) });
    // With the revision, the server would report the change instead of the problem.
    await page.route(`**/posts/${id}/publications`, (route) =>
      route.continue({ postData: { connectionIds: [connectionId] } }),
    );
    expectFailure(page.context(), 409, `/posts/${id}/publications`);
    const rejection = page.waitForResponse((response) => response.status() === 409);
    await dialog.getByRole("button", { name: "Publish now" }).click();
    await rejection;
    showPost();
    await dialog.getByText(/The text has 300 characters/).waitFor();
    await dialog.getByText(/^The post can’t be published .*Nothing was sent\.$/).waitFor();
    assert.deepEqual(await readPublications(id), []);
    await getDialog().getByLabel("blue-harbour").and(page.locator(":disabled")).waitFor();
    assert.ok(await dialog.getByLabel("north-x").isDisabled());
  });

  test("publishes only the version that the user saw, on the page of a publication and in the editor (PUB-3, B1)", async () => {
    const id = await addPost("Tide");
    const { publications } = await publish(id, { at: toIso(plannedTime) });
    const publicationId = publications[0]?.id ?? "";
    await assistant.call("cancel_publication", { publicationId });
    await assistant.call("update_post", { postId: id, body: "Edited unseen.", revision: 1 });
    await openStudioPage(`publications/${publicationId}`);
    await page.getByRole("group", { name: "Text" }).getByText("Tide.").waitFor();
    const publishButton = page.getByRole("button", { name: "Publish to blue-harbour" });
    const publishNow = getDialog().getByRole("button", { name: "Publish now" });
    const notice = getDialog().getByText("The post changed after the version that you saw.");
    await publishButton.click();
    await notice.waitFor();
    assert.ok(await publishNow.isDisabled());
    await assertAccessible(page);
    await getDialog().getByRole("link", { name: "Open post" }).click();
    await waitForField("Edited unseen.");

    await publishButton.click();
    await publishNow.waitFor();
    const showPost = await holdFetches(page, "**/posts/*"); // the page has not noticed yet
    await assistant.call("update_post", { postId: id, body: "Edited again.", revision: 2 });
    expectFailure(page.context(), 409, `/posts/${id}/publications`);
    await publishNow.click();
    showPost();
    await notice.waitFor();
    assert.equal((await readPublications(id)).length, 1, "nothing new was requested");
    await getDialog().getByRole("button", { name: "Show the new version" }).click();
    await waitForField("Edited again.");
    await publishButton.click();
    await publishNow.click();
    await waitForText("Edited again.");
    assert.ok(!(await listSandboxTexts(base)).includes("Edited unseen."));
  });

  test("if everyone needs approval, a member's publication waits for an owner, also after an edit (PUB-4)", async () => {
    const { deps } = fixture.service;
    await openStudioPage("settings");
    await page.getByLabel("Everyone except owners and admins").check();
    await page.getByRole("button", { name: "Save approval" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const member = await newMember(deps, owner, "member", await newUser(deps, { name: "Bo Dahl" }));
    const id = await addPost("Kiln");
    const memberPage = await (await fixture.openContext(member, { viewport: desktop })).newPage();
    // Every button and menu item that leads to a request says so.
    await openStudioPage("posts", memberPage);
    await memberPage.getByRole("button", { name: "Actions for Kiln" }).click();
    await memberPage.getByRole("menuitem", { name: "Ask for approval…" }).waitFor();
    assert.equal(await memberPage.getByRole("menuitem", { name: "Schedule…" }).count(), 0);
    await openStudioPage(`posts/${id}`, memberPage);
    await memberPage.getByRole("button", { name: "Ask for approval…" }).click();
    assert.equal(await memberPage.getByRole("button", { name: /^(Publish|Schedule)/ }).count(), 0);
    const dialog = memberPage.getByRole("dialog", { name: "Ask for approval" });
    await dialog.getByText("An owner or admin approves it before it goes out.").waitFor();
    await dialog.getByRole("checkbox", { name: "blue-harbour", checked: true }).waitFor(); // the only account
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    await memberPage.getByText("Sent for approval to the owners and admins.").first().waitFor();
    const publications = memberPage.getByRole("list", { name: "Publications of this post" });
    await publications.getByText("Waiting for approval", { exact: true }).waitFor();
    await memberPage.getByRole("link", { name: "View blue-harbour" }).click();
    await memberPage.getByText("An owner or admin needs to approve this.").waitFor();
    assert.equal(await memberPage.getByRole("button", { name: /^Approve/ }).count(), 0);
    await memberPage.context().close();

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
    await change(member, id, { body: "Another text." });
    await page.getByRole("button", { name: "Show the new version" }).click();
    await page.getByRole("group", { name: "Text" }).getByText("Another text.").waitFor();
    const changes = page.getByRole("region", { name: "Changes since the approval" });
    await changes.getByText("Changed after it was approved, last by Bo Dahl").waitFor();
    assert.match((await changes.locator("del").first().textContent()) ?? "", /removed: Kiln/);
    assert.match((await changes.locator("ins").first().textContent()) ?? "", /added: Another/);
    await assertAccessible(page);
    await resizeWindow(page, { width: 390, height: 640 });
    const box = await getBox(approve);
    assert.ok(box.bottom <= 640, "the button is in view without scrolling");
    assert.ok((await page.evaluate<number>("document.documentElement.scrollHeight")) > 640, "the page is longer");
    await resizeWindow(page, desktop);

    const scheduledId = await addPost("Glaze");
    const scheduled = await publish(scheduledId, { at: toIso(plannedTime) });
    await change(member, scheduledId, { body: "A new glaze." });
    await changes.getByText("Changed after it was scheduled, last by Bo Dahl").waitFor();
    await openStudioPage(`publications/${scheduled.publications[0]?.id}`);
    await page.getByText("Changed by Bo Dahl, so it now needs approval").waitFor();
    await openStudioPage("activity");
    await page.getByText("so it needs a new approval").first().waitFor();
  });

  test("users who may publish can ask for approval and withdraw the request, which no badge asks them to review (PUB-4)", async () => {
    await openStudioPage(`posts/${await addPost("Ferry")}`);
    await page.getByRole("button", { name: "Publish…" }).waitFor();
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Ask for approval…" }).click();
    await getDialog().getByText("Someone checks it under Approvals").waitFor();
    await getDialog().getByRole("button", { name: "Ask for approval" }).click();
    await getRow().getByRole("link", { name: "View blue-harbour" }).waitFor();
    const isCounted = page.waitForResponse(/publications\/counts\?/);
    await openStudioPage("publications/approvals");
    await isCounted;
    await page.getByRole("main").getByRole("link", { name: "Approvals", exact: true }).waitFor();
    await page.getByRole("button", { name: "Withdraw request for blue-harbour" }).click();
    await getDialog().getByRole("button", { name: "Withdraw request" }).click();
    await page.getByRole("heading", { name: "Nothing to approve" }).waitFor();
  });

  test("filters publications by state and time, and lists proposals by their time, those without one first (PUB-1)", async () => {
    const times = { Sooner: undefined, Late: `${plannedDay}T12:00`, Early: `${plannedDay}T10:00` };
    for (const [title, time] of Object.entries(times))
      await publish(await addPost(title), { propose: true, ...(time === undefined ? {} : { at: toIso(time) }) });
    await openStudioPage("publications/approvals");
    const headings = page.getByRole("list", { name: "Waiting for approval" }).locator("> li > h2");
    await headings.nth(2).waitFor();
    assert.deepEqual(await headings.allTextContents(), ["Sooner", "Early", "Late"]);
    await openStudioPage("publications");
    const links = page.getByRole("list", { name: "Publications" }).getByRole("link", { name: /^(Sooner|Early|Late)$/ });
    await page.getByText("Newest request first. Times are in ").waitFor();
    await links.nth(2).waitFor();
    assert.deepEqual(await links.allTextContents(), ["Early", "Late", "Sooner"]);
    await page.getByLabel("Status").selectOption("proposed");
    await page.getByText("Earliest publishing time first. Times are in ").waitFor();
    await links.nth(2).waitFor();
    assert.deepEqual(await links.allTextContents(), ["Sooner", "Early", "Late"]);
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByRole("heading", { name: "No matching publications" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Clear filters" }).count(), 0, "shows one of two buttons");
    await page.getByRole("link", { name: "Clear filters" }).click();
    await links.nth(2).waitFor();
    await page.getByLabel("Status").selectOption("proposed");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Clear filters" }).waitFor({ state: "detached" });
    assert.doesNotMatch(page.url(), /\?/);
  });

  test("says how to resolve an unconfirmed publication (PUB-15)", async () => {
    const unconfirmedText = "The platform didn’t confirm the post. Check the account, then say whether it is there.";
    const { publications } = await publish(await addPost("Reef"), { at: toIso(plannedTime) });
    const publicationId = publications[0]?.id ?? "";
    const detail = await getPublicationDetail(fixture.service.deps, owner, { publicationId });
    const problem = { code: "unconfirmed", message: unconfirmedText };
    await page.route(`**/api/**/publications/${publicationId}`, (route) =>
      route.fulfill({ json: { ...detail, state: "unconfirmed", problem } }),
    );
    await page.route("**/resolve", (route) => route.fulfill({ json: detail }));
    await openStudioPage(`publications/${publicationId}`);
    await page.getByText(unconfirmedText).waitFor();
    assert.equal(await page.getByText(/didn’t confirm|Waiting for a decision/).count(), 1, "says it once");
    await page.getByRole("button", { name: "No, publish again" }).click();
    await getDialog().getByText("the post appears twice").waitFor();
    await getDialog().getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Yes, mark as published…" }).click();
    await getDialog().getByText("Do this only if you saw the post on blue-harbour.").waitFor();
    await getDialog().getByLabel("URL of the post (optional)").fill(`${base}/sandbox/posts/1`);
    const [request] = await Promise.all([
      page.waitForRequest("**/resolve"),
      getDialog().getByRole("button", { name: "Mark as published" }).click(),
    ]);
    assert.deepEqual(request.postDataJSON(), { outcome: "published", url: `${base}/sandbox/posts/1` });
    await getDialog().waitFor({ state: "detached" });
    await assertAccessible(page);
  });

  test("on a phone, a toast does not cover the buttons of the next proposal (WEB-12)", async () => {
    for (const title of ["Anchor", "Buoy"]) await publish(await addPost(title), { propose: true });
    await page.setViewportSize(phone);
    await openStudioPage("publications/approvals");
    await page.getByRole("button", { name: "Approve and publish, blue-harbour" }).first().click();
    const toast = page.getByRole("listitem").filter({ hasText: /approved\. Publishing to blue-harbour in/ });
    await toast.waitFor();
    const bar = page.locator("[data-sticky-actions]").first();
    assert.ok((await getBox(toast)).bottom <= phone.height - (await getBox(bar)).height);
  });

  test("a publication whose post is in the trash offers no action that can't work (WEB-12)", async () => {
    const { deps } = fixture.service;
    const trashedId = await addPost("Short-lived");
    await publish(trashedId, { propose: true });
    await deletePost(deps, owner, { postId: trashedId });
    await openStudioPage(`publications?postId=${trashedId}`);
    const row = page.getByRole("listitem").filter({ hasText: "A deleted post" });
    await row.getByText("Canceled").waitFor();
    assert.equal(await row.getByRole("button").count(), 0);
    await row.getByRole("link", { name: "A deleted post" }).click();
    await page.getByText("The post is in the trash. Restore it to see its content.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Publish|Ask)/ }).count(), 0);
  });
});
