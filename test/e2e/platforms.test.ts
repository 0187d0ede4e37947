import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { connectAssistant, type Assistant } from "../support/assistant.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

describe("platforms, in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let assistant: Assistant;
  const faults: string[] = [];
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps, undefined, "North");
    page = await (await fixture.openContext(owner)).newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  });
  after(async () => {
    await assistant?.close();
    await fixture?.close();
  });

  /** From our own page through the sandbox's, and back. */
  async function walk(at: Page, account: string): Promise<void> {
    await at.getByRole("heading", { name: "Connect Sandbox to North" }).waitFor();
    await at.getByRole("button", { name: "Continue to Sandbox" }).click();
    await at.getByLabel("Account").fill(account);
    await at.getByRole("button", { name: "Allow Atelier to post" }).click();
    await at.getByRole("heading", { name: "Sandbox is connected" }).waitFor();
  }

  test("the whole path from the platforms page, and back to it (PLATFORM-13)", async () => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await page.getByRole("link", { name: "Platforms" }).click();
    await page.getByRole("heading", { name: "No accounts connected" }).waitFor();
    await page.getByText(/Not set up on this server/).click();
    await page.getByText(/PLATFORM_LINKEDIN_CLIENT_ID/).waitFor();
    await page.getByLabel("Instance").fill("http://mastodon.example");
    await page.getByRole("button", { name: "Connect Mastodon" }).click();
    await page.getByText(/expected the https URL of an instance/).waitFor();
    faults.length = 0; // the browser notes an answer that comes with an error status
    await page.getByRole("button", { name: "Connect Sandbox" }).click();
    await walk(page, "blue-harbour");
    await page.getByRole("link", { name: "Go to Platforms" }).click();
    const accounts = page.getByRole("list", { name: "Connected accounts" });
    await accounts.getByText("blue-harbour").first().waitFor();
    await accounts.getByText("connected", { exact: true }).waitFor();
  });

  test("denied at the platform: a clear page, and the accounts stay as they were (PLATFORM-7)", async () => {
    await page.getByRole("button", { name: "Connect Sandbox" }).click();
    await page.getByRole("button", { name: "Continue to Sandbox" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Account not connected" }).waitFor();
    await page.getByText("Code: connect_denied").waitFor();
    faults.length = 0; // the browser notes a page that comes with an error status
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/platforms`);
    await page.getByText("blue-harbour").first().waitFor();
  });

  test("the post's page says what the platform would refuse, and stops when it is mended (PLATFORM-12)", async () => {
    const { id } = await createPost(fixture.service.deps, owner, { title: "Long", body: "x".repeat(300) });
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts/${id}`);
    await page.getByText(/The text has 300 characters/).waitFor();
    await page.getByLabel("Text", { exact: true }).fill("Short");
    await page.getByText("Ready for Sandbox").waitFor();
  });

  test("a real MCP client asks, its person opens the page in the browser, and it sees the account (PLATFORM-1)", async () => {
    const consent = await page.context().newPage();
    assistant = await connectAssistant(`${fixture.service.base}/mcp`, consent, "Test assistant");
    const { connectUrl } = await assistant.call("connect_platform", { platform: "sandbox" });
    await consent.goto(connectUrl as string);
    await consent.getByText("Test assistant").waitFor();
    await walk(consent, "second");
    await consent.close();
    const { connections } = await assistant.call("list_platforms");
    assert.deepEqual(
      (connections as { account: { handle: string }; state: string }[])
        .map(({ account, state }) => [account.handle, state])
        .toSorted(),
      [
        ["blue-harbour", "connected"],
        ["second", "connected"],
      ],
    );
    const refused = await (await fixture.openContext(await newStudio(fixture.service.deps))).newPage();
    await refused.goto((await assistant.call("connect_platform", { platform: "sandbox" }))["connectUrl"] as string);
    await refused.getByText("This page was created for another user").waitFor();
    await refused.context().close();
  });

  test("disconnecting asks first; a member looks and no more (PLATFORM-3, PLATFORM-13)", async () => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/platforms`);
    await page.getByRole("button", { name: "Disconnect second" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("Disconnected (1)").waitFor();
    const { connections } = await assistant.call("list_platforms");
    assert.deepEqual((connections as { state: string }[]).map(({ state }) => state).toSorted(), [
      "connected",
      "disconnected",
    ]);

    const member = await (await fixture.openContext(await newMember(fixture.service.deps, owner, "member"))).newPage();
    await member.goto(`${fixture.service.base}/studios/${owner.studio.id}/platforms`);
    await member.getByText("blue-harbour").first().waitFor();
    assert.equal(await member.getByRole("button", { name: /onnect/ }).count(), 0);
    await member.context().close();
    assert.deepEqual(faults, []);
  });
});
