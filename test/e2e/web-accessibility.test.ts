import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { afterEach, before, describe, test } from "node:test";
import type { Response } from "playwright-core";
import { setActiveStudio } from "#domain/access/me.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { skipWithoutChromium, type Page } from "../support/chromium.ts";
import { createAuthorization, registerClient } from "../support/oauth-client.ts";
import { pressMenuItem, resizeWindow, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { newUser, newStudio } from "../support/users.ts";
import { openLoadedPage, startWebFixture } from "../support/web-fixture.ts";
import { createSampleStudio, listPagePaths, type SampleStudio } from "../support/sample-studio.ts";
import { startForSuite } from "../support/start-for-suite.ts";

describe("accessibility of the web app", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let sampleStudio: SampleStudio;
  before(async () => {
    sampleStudio = await createSampleStudio(fixture.service.deps, "North");
  });
  afterEach(() => fixture.closeContexts());

  async function openPage(path: string): Promise<Page> {
    const page = await fixture.newPage(sampleStudio.owner);
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/${path}`);
    return page;
  }

  test("pages have no axe-core violation, no horizontal scrolling and no doubled period, on desktops and phones, light and dark (WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const sample = await createSampleStudio(deps, "A studio with a name that is much longer than most, Example Co.");
    const otherStudio = await newStudio(deps, sample.owner, "Sample Inc."); // so that the active studio is another one
    await setActiveStudio(deps, sample.owner, { studioId: otherStudio.studio.id });
    const studioUrl = `/studios/${sample.owner.studio.id}`;
    const problems: string[] = [];
    for (const [user, paths] of [
      [sample.owner, listPagePaths(sample)],
      [sample.member, ["activity", "members", "settings"].map((page) => `${studioUrl}/${page}`)],
      [await newUser(deps, { name: "Grace Jr." }), ["/"]],
      [undefined, ["/"]],
    ] as const) {
      const page = await fixture.newPage(user, { bypassCSP: true });
      for (const path of paths) {
        await openLoadedPage(page, `${base}${path}`);
        for (const [width, colorScheme] of axeVariants) {
          await page.emulateMedia({ colorScheme });
          await resizeWindow(page, { width, height: 800 });
          const place = `${path} at ${width} px, ${colorScheme}`;
          problems.push(...(await findViolations(page)).map((violation) => `${place}: ${violation}`));
          const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          if (overflow > 0) problems.push(`${place} is ${overflow} px too wide`);
        }
        const text = `${await page.locator("body").innerText()}\n${await page.locator("body").ariaSnapshot()}`;
        problems.push(...(text.match(/.*\.\.(?![\w.]).*/g) ?? []).map((line) => `${path}: ${line}`));
      }
      await page.context().close();
    }
    assert.deepEqual(problems, []);
  });

  for (const width of [320, 390, 768, 1440])
    test(`every text of consent and sign-in is inside its box at ${width} px, and the pages fit (WEB-12)`, async () => {
      const { base } = fixture.service;
      const check = async (page: Page, name: string): Promise<void> => {
        assert.deepEqual(await findTextOutsideBoxes(page), [], name);
        await waitForFit(page);
      };
      const options = { viewport: { width, height: 800 } };
      const consentPage = await fixture.newPage(sampleStudio.owner, options);
      const longHost = `${"subdomain.".repeat(8)}example`;
      for (const metadata of [
        { client_name: "Claude Code" },
        { client_name: "Unbroken".repeat(10), redirect_uris: [`https://${longHost}/callback`] },
      ]) {
        const client = await registerClient(base, metadata);
        const scope = "studio:read studio:write studio:publish";
        await consentPage.goto(createAuthorization(base, client, { scope }).url);
        await consentPage.getByLabel("Publish without asking").waitFor();
        await check(consentPage, `consent for ${metadata.client_name}`);
      }

      const page = await fixture.newPage(undefined, options);
      const continueButton = page.getByRole("button", { name: /^Continue with/ });
      await page.goto(`${base}/login`);
      await check(page, "sign-in");
      await continueButton.click();
      await page.getByLabel("Email").waitFor();
      await check(page, "dev issuer");
      await page.getByLabel("Email").fill(`${"unbroken".repeat(8)}@example.com`);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.goto(`${base}/login?switch=1`);
      await continueButton.click();
      await page.getByText("Recently signed in").waitFor();
      await check(page, "dev issuer with recent users");
    });

  test("by keyboard, users skip to the content and open a dialog, which returns the focus when it closes (WEB-12)", async () => {
    const page = await openPage("members");
    const getFocused = (): Promise<unknown> => page.evaluate("document.activeElement?.textContent?.trim()");
    await page.getByRole("button", { name: "Invite someone" }).waitFor();
    await waitForPaint(page);
    await page.keyboard.press("Tab");
    assert.equal(await getFocused(), "Skip to content");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 3 && (await getFocused()) !== "Invite someone…"; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.equal(await getFocused(), "Invite someone…");
  });

  test("the keyboard focus moves to a nearby element when the focused one disappears (WEB-12)", async () => {
    const page = await openPage("posts");
    const firstPost = page.getByRole("list", { name: "Posts" }).getByRole("link").first();
    await firstPost.waitFor();
    await waitForPaint(page);
    await firstPost.press("Enter");
    const postMenu = page.getByRole("button", { name: "Actions for this post" });
    await postMenu.waitFor();
    await page.locator("#main:focus").waitFor(); // the activated link no longer exists
    await postMenu.press("Enter");
    await pressMenuItem(page, "menuitem", "Archive");
    await page.getByRole("button", { name: "Restore as draft" }).waitFor();
    await postMenu.and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Restore as draft" }).press("Enter");
    // The next action has the position of the previous one.
    await page.getByRole("button", { name: "Mark ready" }).and(page.locator(":focus")).waitFor();
  });

  test("URLs of the former Connect page lead to tabs that show a focus ring for the keyboard, not for the mouse (WEB-4, WEB-12)", async () => {
    for (const path of ["/connect", `/studios/${sampleStudio.owner.studio.id}/connect`]) {
      const page = await fixture.newPage(sampleStudio.owner);
      await page.goto(`${fixture.service.base}${path}`);
      await page.waitForURL(/\/studios\/\w+\/clients#connect$/);
      const hasRing = (): Promise<unknown> => page.evaluate("document.activeElement?.matches(':focus-visible')");
      await page.locator("#connect:focus").waitFor(); // the page moves the focus after it has loaded
      await page.getByRole("tab", { name: "Cursor", exact: true }).click();
      await page.getByRole("tab", { name: "Cursor", exact: true, selected: true }).waitFor();
      assert.equal(await hasRing(), false);
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tab", { name: "VS Code", exact: true, selected: true }).waitFor();
      assert.equal(await hasRing(), true);
    }
  });

  test("the first page loads less than 180 KB of compressed script (WEB-12)", async () => {
    const context = await fixture.openContext(sampleStudio.owner);
    // Skips `preloadDelayMs` (main.tsx): if a busy machine took longer, the scripts of menus and toasts would count.
    await context.addInitScript(`{
      const originalSetTimeout = setTimeout;
      globalThis.setTimeout = (run, ms, ...args) => (ms === 3000 ? 0 : originalSetTimeout(run, ms, ...args));
    }`);
    const page = await context.newPage();
    const scripts: Response[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith(".js")) scripts.push(response);
    });
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/posts`);
    await page.getByRole("list", { name: "Posts" }).waitFor();
    // Scripts that arrive later are not counted, and can't be read after the test.
    const bodies = await Promise.all(scripts.map((response) => response.body()));
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    assert.ok(bytes > 0 && bytes < 180 * 1024, `${bytes} bytes`);
  });

  test("the first page creates no slow format of Intl if no post has a planned time (WEB-12)", async () => {
    const owner = await newStudio(fixture.service.deps);
    await createPost(fixture.service.deps, owner, { title: "Harbour", body: "Fog" });
    const context = await fixture.openContext(owner);
    await context.addInitScript(`
      globalThis.createdFormats = [];
      for (const name of ["DateTimeFormat", "ListFormat", "NumberFormat", "RelativeTimeFormat", "Segmenter"])
        Intl[name] = new Proxy(Intl[name], {
          construct(target, args) {
            createdFormats.push(name);
            return new target(...args);
          },
        });`);
    const page = await context.newPage();
    const lastRequest = page.waitForResponse((response) => response.url().includes("/publications/counts"));
    await openLoadedPage(page, `${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await lastRequest;
    assert.deepEqual(await page.evaluate("createdFormats"), []);
  });
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
