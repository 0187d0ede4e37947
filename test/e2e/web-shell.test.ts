import assert from "node:assert/strict";
import { afterEach, before, describe, test } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { setActiveStudio } from "#domain/access/me.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { skipWithoutChromium, type Page } from "../support/chromium.ts";
import { waitForFit, waitForMenu, waitForPaint } from "../support/page-waits.ts";
import { startService } from "../support/service.ts";
import { newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture } from "../support/web-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const lightPaper = "rgb(251, 252, 251)";
const darkPaper = "rgb(18, 22, 21)";
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const readBackground = (page: Page) => page.evaluate("getComputedStyle(document.body).backgroundColor");

describe("the web app's theme, command palette and shortcuts", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let owner: Caller;
  before(async () => {
    const { deps } = fixture.service;
    owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
    await createPost(deps, owner, { title: "Fog over the harbour", body: "" });
    await newStudio(deps, owner, "South");
  });
  afterEach(() => fixture.closeContexts());

  async function openStudio(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await fixture.newPage(owner, options);
    await page.clock.install();
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await waitForPaint(page);
    return page;
  }

  /** Opens the page that shows every component. */
  async function openSamples(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await fixture.newPage(owner, options);
    await page.goto(`${fixture.service.base}/dev/ui`);
    await page.getByRole("heading", { name: "Design system" }).waitFor();
    return page;
  }

  const waitForPath = (page: Page, suffix: string) => page.waitForURL((url) => url.pathname.endsWith(suffix));

  test("pages of a studio open before the session is checked, and an ended session leads to sign-in (WEB-11)", async () => {
    const page = await openStudio("posts");
    const clicked = Promise.withResolvers<void>();
    await page.route("**/api/me", async (route) => {
      await clicked.promise;
      await route.fulfill({ status: 401, json: {} });
    });
    await page.clock.fastForward(2000); // the check when the page was opened is valid for a second
    await page.getByRole("link", { name: "Members", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    const signInRequest = page.waitForRequest(/\/login\?return_to=.*members/);
    clicked.resolve();
    await signInRequest;
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("the list of posts returns to the scroll position after a reload", async () => {
    const { deps, base } = fixture.service;
    const writer = await newStudio(deps);
    for (let i = 0; i < 30; i++) await createPost(deps, writer, { title: `Post ${i}`, body: "The fog came in." });
    const page = await fixture.newPage(writer, { viewport: { width: 1280, height: 720 } });
    const lastRow = page.getByRole("list", { name: "Posts" }).getByRole("listitem").nth(29);
    const waitForScroll = () => waitUntil(async () => (await page.evaluate("Math.round(scrollY)")) === 1200);
    await page.goto(`${base}/studios/${writer.studio.id}/posts`);
    await lastRow.waitFor();
    await page.evaluate("scrollTo(0, 1200)");
    await waitForScroll();
    await page.reload();
    await lastRow.waitFor();
    await waitForScroll();
  });

  test("the first page requests all data at once, says that it loads if the server takes long, and can be loaded again", async () => {
    const page = await fixture.newPage(owner);
    const post = page.getByRole("link", { name: "Fog over the harbour" });
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/me", async (route) => {
      await hold;
      await route.continue();
    });
    // Requested at the same time as the user.
    const listRequest = page.waitForRequest("**/post-summaries*");
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/posts`);
    await listRequest;
    await page.getByText("Loading…").waitFor();
    assert.equal(await post.count(), 0);
    release();
    await post.waitFor();
    await page.route("**/api/studios/*", (route) => route.fulfill({ status: 400, json: {} }));
    await page.reload();
    await page.getByRole("heading", { name: "This page couldn’t be loaded" }).waitFor();
    await page.unroute("**/api/studios/*");
    await page.getByRole("button", { name: "Try again" }).click();
    await post.waitFor();
  });

  test("while offline, a link to a page whose code is not loaded waits, and the tab is not reloaded (WEB-10)", async () => {
    const page = await openStudio("posts");
    await page.evaluate("globalThis.isSameDocument = true");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Trash", exact: true }).click();
    await waitForPath(page, "/trash");
    await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Trash" }).waitFor();
    assert.equal(await page.evaluate("globalThis.isSameDocument"), true);
  });

  test("a chosen theme applies before the scripts run, and stays after a reload (WEB-12)", async () => {
    const page = await openStudio("posts", { colorScheme: "light" });
    assert.equal(await readBackground(page), lightPaper);
    await page.getByRole("button", { name: "Account: Ada Berg" }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    assert.equal(await readBackground(page), darkPaper);

    await page.route("**/assets/*.js", (route) => route.abort());
    await page.reload();
    assert.equal(await readBackground(page), darkPaper, "without the app's scripts");
    await page.unroute("**/assets/*.js");
    await page.reload();

    await page.getByRole("button", { name: "Account: Ada Berg" }).click();
    await page.getByRole("menuitemradio", { name: "Dark", checked: true }).waitFor();
    await page.getByRole("menuitemradio", { name: "System" }).click();
    assert.equal(await readBackground(page), lightPaper);
    await page.emulateMedia({ colorScheme: "dark" });
    await waitUntil(async () => (await readBackground(page)) === darkPaper);
  });

  test("the command palette opens pages, posts and studios, and returns the focus when it closes (WEB-12)", async () => {
    const page = await openStudio("posts");
    const openButton = page.getByRole("button", { name: /^Search/ });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(/CommandPalette/, async (route) => {
      await isReleased;
      await route.continue();
    });
    const isRequested = page.waitForRequest(/CommandPalette/);
    await openButton.press("Enter");
    await isRequested;
    await page.keyboard.type("memb"); // while the code is loading
    release();
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await palette.getByRole("option", { name: "Members", selected: true }).waitFor();
    await page.keyboard.type("e");
    assert.equal(await palette.getByRole("combobox").inputValue(), "membe");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await openButton.and(page.locator(":focus")).waitFor();

    await page.keyboard.press("ControlOrMeta+k");
    await palette.getByRole("option", { name: "Show posts on a board", selected: true }).waitFor();
    for (const name of ["Show posts as a list", "Posts"])
      assert.equal(await palette.getByRole("option", { name, exact: true }).count(), 0, `${name} is already shown`);
    for (const [text, name, url] of [
      ["memb", "Members", /\/members$/],
      ["harbour", "Fog over the harbour", /\/posts\/pst_/],
      ["approvals", "Approvals", /\/publications\/approvals$/],
      ["calendar", "Calendar", /\/posts\?view=calendar$/],
      ["invite", "Invite a member", /\/members$/],
      ["connect an", "Connect an AI client", /\/clients#connect$/],
    ] as const) {
      await palette.getByRole("combobox").fill(text);
      await palette.getByRole("option", { name, selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await palette.waitFor({ state: "hidden" });
      await page.waitForURL(url);
      await page.keyboard.press("ControlOrMeta+k");
    }
    await palette.getByRole("combobox").fill("log");
    await palette.getByRole("option", { name: "Sign out" }).waitFor();
    await palette.getByRole("combobox").fill("");
    await palette.getByRole("option", { name: "South", exact: true }).click();
    await page.getByRole("button", { name: /^Studio: South/ }).waitFor();
  });

  test("the command palette lists posts before studios, and offers a new post if nothing matches (WEB-12)", async () => {
    const { id: postId } = await createPost(fixture.service.deps, owner, {
      title: "Two gulls, one south wind",
      body: "",
    });
    const page = await openStudio("posts", { bypassCSP: true });
    await page.keyboard.press("ControlOrMeta+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    const input = palette.getByRole("combobox");
    await input.fill("south");
    await palette.getByRole("option", { name: "Two gulls, one south wind", selected: true }).waitFor();
    await palette.getByRole("option", { name: "South", exact: true, selected: false }).waitFor();
    assert.equal(await palette.getByRole("option", { name: "New post" }).count(), 0);

    await input.fill("lighthouse");
    await palette.getByRole("option", { name: "New post “lighthouse”", selected: true }).waitFor();
    await palette.getByText("No posts or files match “lighthouse”.").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("Enter");
    await waitForPath(page, "/posts/new");
    await palette.waitFor({ state: "hidden" });
    assert.equal(await page.getByLabel("Title").inputValue(), "lighthouse");
    await page.getByLabel("Title").and(page.locator(":focus")).waitFor();
    await deletePost(fixture.service.deps, owner, { postId });
  });

  test("the notice about the active studio stays dismissed after a reload (WEB-12)", async () => {
    const { deps } = fixture.service;
    const user = await newUser(deps);
    const shownStudio = await newStudio(deps, user, "Kiln");
    const activeStudio = await newStudio(deps, user, "Blue Door letters");
    await setActiveStudio(deps, user, { studioId: activeStudio.studio.id });
    const page = await fixture.newPage(user, phone);
    await page.goto(`${fixture.service.base}/studios/${shownStudio.studio.id}/members`);
    const dismissButton = page.getByRole("button", { name: "Dismiss" });
    await dismissButton.tap();
    await dismissButton.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("list", { name: "Members" }).waitFor();
    assert.equal(await dismissButton.count(), 0);
  });

  test("while offline, the notice leaves the account menu and an open panel in view (WEB-12)", async () => {
    const viewport = { width: 1280, height: 700 };
    const page = await openStudio("posts", { viewport });
    await page.context().setOffline(true);
    await page.getByText("You’re offline. This page may be out of date.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("link", { name: "Fog over the harbour" }).click();
    await page.getByRole("button", { name: "History" }).click();
    const notice = page.getByText("You’re offline. Keep this tab open: changes are saved when you’re back online.");
    const panel = page.getByRole("complementary", { name: "History" });
    const account = page.getByRole("button", { name: "Account: Ada Berg" });
    await panel.getByRole("list").waitFor();
    await page.context().setOffline(true);
    await notice.waitFor();
    await page.evaluate(`document.querySelector("main").style.minHeight = "2000px"; scrollTo(0, 1000)`);
    // The browser reports the height of the notice after it has appeared.
    const isBelowNotice = async (): Promise<boolean> => {
      const boxes = await Promise.all([notice, panel, account].map((locator) => locator.boundingBox()));
      const [noticeBox, panelBox, accountBox] = boxes;
      if (!noticeBox || !panelBox || !accountBox) return false;
      const fitsBelow = panelBox.y === noticeBox.height && panelBox.y + panelBox.height === viewport.height;
      return noticeBox.y === 0 && fitsBelow && accountBox.y + accountBox.height < viewport.height;
    };
    await waitUntil(isBelowNotice, { description: "the panel is below the notice" });
    await page.context().setOffline(false);
    await notice.waitFor({ state: "detached" });
    await waitUntil(async () => (await panel.boundingBox())?.height === viewport.height, {
      description: "the panel is as high as the window",
    });
  });

  test("on a phone, the palette and the menu close by button, by a tap beside them and by going back (WEB-12)", async () => {
    const page = await openStudio("members", phone);
    const menuButton = page.getByRole("button", { name: "Menu" });
    await menuButton.tap();
    const menu = page.getByRole("dialog", { name: "Menu" });
    await menu.getByRole("link", { name: "Posts" }).tap();
    await waitForPath(page, "/posts");
    await menuButton.tap();
    await menu.getByRole("button", { name: "Close menu" }).focus();
    await page.clock.fastForward(1000); // longer than the delay of a tooltip
    assert.equal(await page.getByRole("tooltip").count(), 0);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.getByRole("tooltip").waitFor();
    await page.touchscreen.tap(20, 400);
    await menu.waitFor({ state: "hidden" });

    const palette = page.getByRole("dialog", { name: "Search and commands" });
    const openPalette = async (): Promise<void> => {
      await page.getByRole("button", { name: "Search", exact: true }).tap();
      await palette.getByRole("combobox").and(page.locator(":focus")).waitFor();
    };
    await openPalette();
    await palette.getByRole("option", { name: "New studio" }).waitFor();
    assert.equal(await palette.getByRole("option", { name: "Keyboard shortcuts" }).count(), 0);
    await palette.getByRole("button", { name: "Close" }).tap();
    await palette.waitFor({ state: "hidden" });

    await openPalette();
    await palette.getByText("Actions", { exact: true }).tap();
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    assert.equal(outline, "none", "a tap inside shows no focus ring");
    await page.touchscreen.tap(195, 830);
    await palette.waitFor({ state: "hidden" });

    for (const [dialog, open] of [
      [palette, openPalette],
      [menu, () => menuButton.tap()],
    ] as const) {
      await open();
      await dialog.waitFor();
      await page.evaluate("history.back()");
      await dialog.waitFor({ state: "hidden" });
      await waitForPath(page, "/posts");
    }
    await page.evaluate("history.back()");
    await waitForPath(page, "/members");
  });

  test("shortcuts open pages, are listed, and never run while the user types or in a dialog (WEB-12)", async () => {
    const page = await openStudio("posts");
    // Sent together, because the second key has to follow soon.
    const pressKeys = (...keys: string[]) => Promise.all(keys.map((key) => page.keyboard.press(key)));
    await pressKeys("g", "m");
    await waitForPath(page, "/members");
    await pressKeys("g", "p");
    await waitForPath(page, "/posts");
    const search = page.getByLabel("Search posts");
    await search.waitFor();
    await page.keyboard.press("/");
    await search.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("nightgm?");
    assert.equal(await search.inputValue(), "nightgm?");

    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const choice = help.getByLabel("Use shortcuts without Ctrl or ⌘");
    const closeButton = help.getByRole("button", { name: "Close" });
    await help.getByText("New post").waitFor();
    await closeButton.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("n");
    await choice.uncheck();
    await closeButton.click();
    await page.keyboard.press("n");
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("option", { name: "Keyboard shortcuts" }).click();
    await waitForPath(page, "/posts");
    await choice.check();
    await closeButton.click();
    await page.keyboard.press("n");
    await waitForPath(page, "/posts/new");
    await page.getByLabel("Text", { exact: true }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("Tide at noon");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("heading", { name: "Tide at noon" }).waitFor();
    await page.getByLabel("Text", { exact: true }).and(page.locator(":focus")).waitFor();
  });

  for (const [width, colorScheme] of axeVariants)
    test(`every component passes axe-core at ${width} px, ${colorScheme}, in its open state too (WEB-12)`, async () => {
      const page = await openSamples({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
      const problems = await findViolations(page);
      const overlays = {
        "Open menu": page.getByRole("menu"),
        Popover: page.getByRole("dialog", { name: "Filter" }),
        Dialog: page.getByRole("dialog", { name: "A dialog" }),
        FormDialog: page.getByRole("dialog", { name: "A form" }),
        SidePanel: page.getByRole("dialog", { name: "A side panel" }),
        Toast: page.getByText("Moved to the trash.").first(),
        SelectionBar: page.getByRole("region", { name: "Selection" }),
      };
      for (const [name, overlay] of Object.entries(overlays)) {
        await page.getByRole("button", { name, exact: true }).click();
        await overlay.waitFor();
        problems.push(...(await findViolations(page)).map((violation) => `${name} ${violation}`));
        await page.keyboard.press("Escape");
      }
      assert.deepEqual(problems, []);
      await waitForFit(page);
    });

  test("on a phone, a toast covers neither the buttons of a dialog nor those of a panel's header (WEB-12)", async () => {
    // As high as the dialog, as if a keyboard were open.
    const page = await openSamples({ ...phone, viewport: { width: 390, height: 340 } });
    for (const [name, title, buttons] of [
      ["FormDialog", "A form", ["Save", "Cancel"]],
      ["SidePanel", "A side panel", ["Close panel"]],
    ] as const) {
      await page.reload();
      await page.getByRole("button", { name: "Toast", exact: true }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      await page.getByRole("button", { name, exact: true }).click();
      const dialog = page.getByRole("dialog", { name: title });
      const toast = await dialog.getByRole("listitem").filter({ hasText: "Moved to the trash." }).boundingBox();
      for (const label of buttons) {
        const button = await dialog.getByRole("button", { name: label }).boundingBox();
        assert.ok(toast && button);
        const isApart = toast.y + toast.height <= button.y || button.y + button.height <= toast.y;
        assert.ok(isApart, `${label} is covered`);
      }
    }
  });

  test("a menu opens inside of a dialog, and by keyboard, mouse and touch if it is mounted on demand (WEB-12)", async () => {
    const page = await openSamples({ hasTouch: true });
    const button = page.getByRole("button", { name: "Actions for a row" });
    const item = page.getByRole("menuitem", { name: "An item of a row" });
    const openByKeyboard = async (): Promise<void> => {
      await page.getByRole("button", { name: "Open menu" }).focus();
      await waitForPaint(page);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    };
    // After a reload, the menu is not mounted.
    for (const open of [() => button.tap(), openByKeyboard]) {
      await page.reload();
      await open();
      await item.waitFor();
      await waitForMenu(page);
      await page.keyboard.press("Escape");
      await item.waitFor({ state: "detached" });
      await button.and(page.locator(":focus")).waitFor();
    }
    await page.reload();
    await button.click();
    await item.click();
    await item.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Dialog", exact: true }).click();
    await page.getByRole("button", { name: "Menu in a dialog" }).click();
    await page.getByRole("menuitem", { name: "An item", exact: true }).click();
    await page.getByRole("dialog", { name: "A dialog" }).waitFor();
  });

  test("a menu whose code can't be loaded says so, and opens on another try (WEB-12)", async () => {
    const page = await openSamples();
    for (const missingFiles of ["**/MountedMenu-*.js", "**/{MountedMenu,ToastList}-*.js"]) {
      await page.route(missingFiles, (route) => route.abort());
      await page.reload();
      await page.getByRole("button", { name: "Actions for a row" }).click();
      await page.getByText("This menu couldn’t be loaded.").first().waitFor();
      await page.unroute(missingFiles);
      await page.getByRole("button", { name: "Try again" }).last().click();
      await page.getByRole("menuitem", { name: "An item of a row" }).waitFor();
    }
  });

  test("an instance with an identity provider has no /dev/ui", async () => {
    const { deps } = fixture.service;
    const env = {
      OIDC_ISSUER: "https://accounts.example.com",
      OIDC_CLIENT_ID: "atelier",
      OIDC_CLIENT_SECRET: "secret",
    };
    const otherService = await startService(deps, { env });
    const instance: unknown = await (await fetch(`${otherService.base}/api/instance`)).json();
    await otherService.close();
    const page = await fixture.newPage(owner);
    await page.route("**/api/instance", (route) => route.fulfill({ json: instance }));
    const requestedUrls: string[] = [];
    page.on("request", (request) => void requestedUrls.push(request.url()));
    await page.goto(`${fixture.service.base}/dev/ui`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    const switchLink = page.getByRole("link", { name: "Use another account" });
    assert.equal(await switchLink.getAttribute("href"), "/login?switch=1&return_to=%2Fdev%2Fui");
    assert.ok(!requestedUrls.some((url) => url.includes("UiPage")));
  });
});
