import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { newMember, newStudio } from "../support/users.ts";
import { openLoadedPage, startWebFixture, type WebFixture } from "../support/web-fixture.ts";

describe("platforms, in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let assistant: Assistant;
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps, undefined, "North");
    page = await fixture.newPage(owner);
  });
  after(async () => {
    await assistant?.close();
    await fixture?.close();
  });

  /** Connects an account: from the platforms page to the sandbox and back. */
  async function connectAccount(platformsPage: Page, account: string): Promise<void> {
    await platformsPage.getByRole("button", { name: "Connect Sandbox" }).click();
    await allowConnection(platformsPage, account);
  }

  async function allowConnection(connectPage: Page, account: string): Promise<void> {
    await connectPage.getByRole("heading", { name: "Connect Sandbox to North" }).waitFor();
    await connectPage.getByRole("button", { name: "Continue to Sandbox" }).click();
    assert.equal(await connectPage.getByLabel("Account").inputValue(), "practice-account");
    await connectPage.getByLabel("Account").fill(account);
    await connectPage.getByRole("button", { name: "Allow Atelier to post" }).click();
    await connectPage.getByRole("heading", { name: "Sandbox is connected" }).waitFor();
  }

  async function disconnect(account: string): Promise<void> {
    await page.getByRole("button", { name: `Disconnect ${account}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }

  async function listAccounts(): Promise<string[]> {
    const { connections } = await assistant.call("list_platforms");
    const accounts = connections as { account: { handle: string }; state: string }[];
    return accounts.map(({ account, state }) => `${account.handle} ${state}`).toSorted();
  }

  test("connects an account from the platforms page (PLATFORM-13)", async () => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await page.getByRole("link", { name: "Platforms" }).click();
    await page.getByText(/^No accounts connected yet\./).waitFor();
    await page.getByText("A practice platform on this server; nothing leaves it.").waitFor();
    await page.getByText(/Not set up on this server/).click();
    await page.getByText(/PLATFORM_LINKEDIN_CLIENT_ID/).waitFor();
    assert.equal(await page.getByLabel("Bluesky server").inputValue(), "bsky.social");
    assert.equal(await page.getByLabel("Mastodon server").inputValue(), "mastodon.social");
    await page.getByLabel("Mastodon server").fill("http://mastodon.example");
    expectFailure(page.context(), 400, "/platforms/connect");
    await page.getByRole("button", { name: "Connect Mastodon" }).click();
    await page.getByText(/expected the https URL of an instance/).waitFor();
    await connectAccount(page, "blue-harbour");
    await page.getByRole("link", { name: "Go to Platforms" }).click();
    const accounts = page.getByRole("list", { name: "Connected accounts" });
    await accounts.getByText("blue-harbour").first().waitFor();
    await accounts.getByText(/^Sandbox, connected /).waitFor();
  });

  test("leads from connecting an account back to the post that needs one, until the user opens Platforms from the menu", async () => {
    const { base, deps } = fixture.service;
    const author = await newStudio(deps, undefined, "North");
    const { id } = await createPost(deps, author, { title: "Harbour tour", body: "Join us." });
    const { id: otherPostId } = await createPost(deps, owner, { title: "Elsewhere", body: "Not ours." });
    const authorPage = await fixture.newPage(author);
    expectFailure(authorPage.context(), 404, `/posts/${otherPostId}`);
    expectFailure(authorPage.context(), 403, "/api/platforms/callback/sandbox"); // denied
    const platformsUrl = `${base}/studios/${author.studio.id}/platforms`;
    const backLink = authorPage.getByRole("link", { name: "Back to “Harbour tour”" });
    const connectButton = authorPage.getByRole("button", { name: "Connect Sandbox" });
    await openLoadedPage(authorPage, `${platformsUrl}?post=${otherPostId}`);
    assert.equal(await authorPage.getByRole("link", { name: /^Back to/ }).count(), 0, "a post of another studio");

    const postUrl = `${base}/studios/${author.studio.id}/posts/${id}`;
    await authorPage.goto(`${postUrl}?at=2050-01-15T09%3A30`);
    await authorPage.getByRole("link", { name: "Platforms page" }).click();
    await backLink.waitFor();
    await connectButton.click();
    await authorPage.getByRole("link", { name: "Cancel" }).click();
    await backLink.waitFor();
    await connectButton.click();
    await authorPage.getByRole("button", { name: "Continue to Sandbox" }).click();
    await authorPage.getByRole("button", { name: "Deny" }).click();
    await authorPage.getByRole("heading", { name: "Account not connected" }).waitFor();
    await authorPage.getByRole("link", { name: "Go to Platforms" }).click();
    await backLink.waitFor();
    await connectAccount(authorPage, "harbour");
    await authorPage.getByRole("link", { name: "Back to the post" }).click();
    await authorPage.getByRole("button", { name: /^Schedule for/ }).waitFor();
    assert.equal(new URL(authorPage.url()).pathname, new URL(postUrl).pathname);

    await authorPage.goto(`${platformsUrl}?post=${id}`);
    await backLink.waitFor();
    await openLoadedPage(authorPage, `${base}/studios/${author.studio.id}/posts`);
    await authorPage.getByRole("link", { name: "Platforms" }).click();
    await connectButton.waitFor();
    await authorPage.waitForLoadState("networkidle");
    assert.equal(await backLink.count(), 0);
    await authorPage.context().close();
  });

  test("an MCP client gets a connect URL, its user opens it, and the client sees the account (PLATFORM-1)", async () => {
    const assistantPage = await page.context().newPage();
    assistant = await connectAssistant(`${fixture.service.base}/mcp`, assistantPage, "Test assistant");
    const { connectUrl } = await assistant.call("connect_platform", { platform: "sandbox" });
    await assistantPage.goto(connectUrl as string);
    await assistantPage.getByText("Test assistant").waitFor();
    await allowConnection(assistantPage, "second");
    await assistantPage.close();
    assert.deepEqual(await listAccounts(), ["blue-harbour connected", "second connected"]);
  });

  test("disconnecting asks for confirmation; a member can only view (PLATFORM-3, PLATFORM-13)", async () => {
    await disconnect("second");
    await page.getByText("Disconnected (1)").waitFor();
    const accounts = await listAccounts();
    assert.ok(accounts.includes("blue-harbour connected") && accounts.includes("second disconnected"));

    const memberPage = await fixture.newPage(await newMember(fixture.service.deps, owner, "member"));
    await memberPage.goto(`${fixture.service.base}/studios/${owner.studio.id}/platforms`);
    await memberPage.getByText("blue-harbour").first().waitFor();
    assert.equal(await memberPage.getByRole("button", { name: /onnect/ }).count(), 0);
  });
});
