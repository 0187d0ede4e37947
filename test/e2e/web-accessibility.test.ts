import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { setActiveStudio } from "#domain/access/me.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { pressMenuItem, waitForPaint } from "../support/page-waits.ts";
import { newUser, newStudio } from "../support/users.ts";
import { openLoadedPage, startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { createSampleStudio, listPagePaths, type SampleStudio } from "../support/sample-studio.ts";

describe("accessibility of the web app", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let sampleStudio: SampleStudio;
  before(async () => {
    fixture = await startWebFixture();
    sampleStudio = await createSampleStudio(fixture.service.deps, "A studio with a name that is much longer than most");
  });
  after(() => fixture.close());

  for (const [width, colorScheme] of axeVariants) {
    test(`pages have no axe-core violation and no horizontal scrolling at ${width} px, ${colorScheme} (WEB-12)`, async () => {
      const options = { viewport: { width, height: 800 }, colorScheme, bypassCSP: true };
      const problems: string[] = [];
      for (const [user, paths] of [
        [sampleStudio.owner, listPagePaths(sampleStudio)],
        [await newUser(fixture.service.deps), ["/"]],
        [undefined, ["/"]],
      ] as const) {
        const context = await fixture.openContext(user, options);
        const page = await context.newPage();
        for (const path of paths) {
          await openLoadedPage(page, `${fixture.service.base}${path}`);
          problems.push(...(await findViolations(page)).map((violation) => `${path} ${violation}`));
          const overflow = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
          if (overflow > 0) problems.push(`${path} is ${overflow} px too wide`);
        }
        await context.close();
      }
      assert.deepEqual(problems, []);
    });
  }

  test("no page shows or announces two periods after a name that ends with one (WEB-12)", async () => {
    const { deps, base } = fixture.service;
    const sample = await createSampleStudio(deps, "Example Co.");
    const otherStudio = await newStudio(deps, sample.owner, "Sample Inc."); // so that the active studio is another one
    await setActiveStudio(deps, sample.owner, { studioId: otherStudio.studio.id });
    const problems: string[] = [];
    for (const [user, paths] of [
      [sample.owner, listPagePaths(sample)],
      [sample.member, listPagePaths(sample)],
      [await newUser(deps, { name: "Grace Jr." }), ["/"]],
    ] as const) {
      const context = await fixture.openContext(user);
      const page = await context.newPage();
      for (const path of paths) {
        await openLoadedPage(page, `${base}${path}`);
        const text = `${await page.locator("body").innerText()}\n${await page.locator("body").ariaSnapshot()}`;
        problems.push(...(text.match(/.*\.\.(?![\w.]).*/g) ?? []).map((line) => `${path}: ${line}`));
      }
      await context.close();
    }
    assert.deepEqual(problems, []);
  });

  test("by keyboard, users skip to the content and open a dialog, which returns the focus when it closes (WEB-12)", async () => {
    const context = await fixture.openContext(sampleStudio.owner);
    const page = await context.newPage();
    const getFocused = (): Promise<unknown> => page.evaluate("document.activeElement?.textContent?.trim()");
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/members`);
    await page.getByRole("button", { name: "Invite someone" }).waitFor();
    await waitForPaint(page);
    await page.keyboard.press("Tab");
    assert.equal(await getFocused(), "Skip to content");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 3 && (await getFocused()) !== "Invite someone…"; i++) await page.keyboard.press("Tab");
    assert.equal(await getFocused(), "Invite someone…");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.equal(await getFocused(), "Invite someone…");
    await context.close();
  });

  test("the keyboard focus moves to a nearby element when the focused one disappears (WEB-12)", async () => {
    const context = await fixture.openContext(sampleStudio.owner);
    const page = await context.newPage();
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/posts`);
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
    await page.waitForFunction("document.activeElement?.ariaLabel === 'Actions for this post'");
    const fileMenu = page.getByRole("button", { name: /^Actions for .*\.png$/ });
    await fileMenu.press("Enter");
    await pressMenuItem(page, "menuitem", "Remove from post");
    await page.getByText("Still in your library").first().waitFor();
    await page.locator("#media:focus").waitFor(); // the heading of the file list
    await page.getByRole("button", { name: "Undo" }).last().click();
    await fileMenu.waitFor();
    await page.getByRole("button", { name: "Restore as draft" }).press("Enter");
    // The next action has the position of the previous one.
    await page.getByRole("button", { name: "Mark ready" }).and(page.locator(":focus")).waitFor();
    await context.close();
  });

  test("a tab shows its focus ring for the keyboard, not for the mouse (WEB-12)", async () => {
    const context = await fixture.openContext(sampleStudio.owner);
    const page = await context.newPage();
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/connect`);
    const tab = (name: string) => page.getByRole("tab", { name, exact: true });
    const hasRing = (): Promise<unknown> => page.evaluate("document.activeElement?.matches(':focus-visible')");
    await page.locator("#connect:focus").waitFor(); // the page moves the focus after it has loaded
    await tab("Cursor").click();
    await page.locator('[role=tab][aria-selected=true]:text-is("Cursor")').waitFor();
    assert.equal(await hasRing(), false);
    await page.keyboard.press("ArrowRight");
    await page.locator('[role=tab][aria-selected=true]:text-is("VS Code")').waitFor();
    assert.equal(await hasRing(), true);
    await context.close();
  });

  test("the first page loads less than 180 KB of compressed script (WEB-12)", async () => {
    const context = await fixture.openContext(sampleStudio.owner);
    const page = await context.newPage();
    await page.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/posts`); // warms up the server
    await context.close();
    const scripts: Promise<Buffer>[] = [];
    const freshContext = await fixture.openContext(sampleStudio.owner);
    // Skips `preloadDelayMs` (main.tsx): if a busy machine took longer, the scripts of menus and toasts would count.
    await freshContext.addInitScript(`{
      const originalSetTimeout = setTimeout;
      globalThis.setTimeout = (run, ms, ...args) => (ms === 3000 ? 0 : originalSetTimeout(run, ms, ...args));
    }`);
    const freshPage = await freshContext.newPage();
    freshPage.on("response", (response) => {
      if (response.url().endsWith(".js")) scripts.push(response.body());
    });
    const startedAt = performance.now();
    await freshPage.goto(`${fixture.service.base}/studios/${sampleStudio.owner.studio.id}/posts`);
    await freshPage.getByRole("list", { name: "Posts" }).waitFor();
    const elapsedMs = performance.now() - startedAt;
    const bytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0);
    console.log(`first page: ${Math.round(bytes / 1024)} KB of script, usable after ${Math.round(elapsedMs)} ms`);
    assert.ok(bytes < 180 * 1024, `${bytes} bytes`);
    // The target is one second; this limit only catches a page that hangs, even on a busy machine.
    assert.ok(elapsedMs < 15_000, `${elapsedMs} ms`);
    await Promise.all([context.close(), freshContext.close()]);
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
    const lastRequest = page.waitForResponse((response) => response.url().includes("state=missed"));
    await openLoadedPage(page, `${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await lastRequest;
    assert.deepEqual(await page.evaluate("createdFormats"), []);
    await context.close();
  });
});
