import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { skipWithoutChromium, type Page } from "../support/chromium.ts";
import { createAuthorization, registerClient } from "../support/oauth-client.ts";
import { newStudio } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";

const allScopes = "studio:read studio:write studio:publish";

describe("the pages that people see first", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
  });
  after(() => fixture?.close());

  async function openConsent(page: Page, metadata: Record<string, unknown>): Promise<void> {
    const { base } = fixture.service;
    const client = await registerClient(base, metadata);
    await page.goto(createAuthorization(base, client, { scope: allScopes }).url);
    await page.getByLabel("Publish without asking").waitFor();
  }

  for (const width of [320, 390, 768, 1440]) {
    test(`at ${width} px, every text is inside its box and no page scrolls sideways (WEB-12)`, async () => {
      const problems: string[] = [];
      const check = async (name: string, page: Page): Promise<void> => {
        problems.push(...(await findTextOutsideBoxes(page)).map((problem) => `${name}: ${problem}`));
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (overflow > 0) problems.push(`${name} is ${overflow} px too wide`);
      };
      const options = { viewport: { width, height: 800 } };

      const consentContext = await fixture.openContext(owner, options);
      const consentPage = await consentContext.newPage();
      await openConsent(consentPage, { client_name: "Claude Code" });
      await check("consent", consentPage);
      const longHost = `${"subdomain.".repeat(8)}example`;
      await openConsent(consentPage, {
        client_name: "Unbroken".repeat(10),
        redirect_uris: [`https://${longHost}/callback`],
      });
      await check("consent with long names", consentPage);
      await consentContext.close();

      const signInContext = await fixture.openContext(undefined, options);
      const signInPage = await signInContext.newPage();
      await signInPage.goto(`${fixture.service.base}/login`);
      await check("sign-in", signInPage);
      await signInPage.getByRole("button", { name: /^Continue with/ }).click();
      await signInPage.getByLabel("Email").waitFor();
      await check("dev issuer", signInPage);
      await signInPage.getByLabel("Email").fill(`${"unbroken".repeat(8)}@example.com`);
      await signInPage.getByRole("button", { name: "Sign in" }).click();
      await signInPage.goto(`${fixture.service.base}/login?switch=1`);
      await signInPage.getByRole("button", { name: /^Continue with/ }).click();
      await signInPage.getByText("Recently signed in").waitFor();
      await check("dev issuer with recent users", signInPage);
      await signInContext.close();
      assert.deepEqual(problems, []);
    });
  }
});

/** Returns the texts that extend beyond the nearest element with a border, or beyond the page's content. */
function findTextOutsideBoxes(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const problems = [];
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const text = range.getBoundingClientRect();
      const box = walker.currentNode.parentElement.closest(".choice, .destination, .warning, button, main");
      const { left, right, top, bottom } = box.getBoundingClientRect();
      const isInside = text.left >= left && text.right <= right && text.top >= top && text.bottom <= bottom;
      if (text.width > 0 && !isInside) problems.push(walker.currentNode.data.trim().slice(0, 60));
    }
    return problems;
  })()`);
}
