import type { Page } from "playwright-core";
import { newUser } from "../../test/support/users.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { createFullStudio } from "./full-studio.ts";
import { openAndSettle, type Scene } from "./web-scenes.ts";

/** Scenes of a studio with much content and long names, and of dialogs that every page has. */
export async function createFullScenes({ service }: WebFixture): Promise<Scene[]> {
  const { base, deps } = service;
  const { owner, fullPostId } = await createFullStudio(deps, await newUser(deps, { name: "Mira Okafor" }));
  const { studio, ...user } = owner;
  const createScene = (
    name: string,
    path: string,
    interact: (page: Page) => Promise<unknown> = async () => {},
  ): Scene => ({
    name: `full-${name}`,
    user,
    prepare: async (page) => {
      await openAndSettle(page, `${base}/studios/${studio.id}/${path}`);
      await interact(page);
    },
  });
  const clickButton = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name }).locator("visible=true").first().click();
  const openPalette = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(text);
    await page.waitForTimeout(1000);
  };

  return [
    createScene("posts", "posts"),
    createScene("posts-selected", "posts", async (page) => {
      for (const index of [0, 2, 3])
        await page
          .getByRole("checkbox", { name: /^Select / })
          .nth(index)
          .press("Space");
    }),
    createScene("posts-compact", "posts", async (page) => {
      const option = page.getByRole("radio", { name: "Compact" });
      // A phone has one density.
      if (await option.isVisible()) await option.click();
    }),
    createScene("posts-filters", "posts?q=glaze&tag=workshop"),
    createScene("board", "posts?view=board"),
    createScene("calendar-month", "posts?view=calendar"),
    createScene("calendar-week", "posts?view=calendar&range=week"),
    createScene("calendar-agenda", "posts?view=calendar&range=agenda"),
    createScene("post", `posts/${fullPostId}`),
    createScene("post-comments", `posts/${fullPostId}?panel=comments`, (page) =>
      page.getByRole("button", { name: "Reply" }).first().waitFor(),
    ),
    createScene("post-history", `posts/${fullPostId}?panel=history`),
    createScene("post-publish", `posts/${fullPostId}`, (page) => clickButton(page, /^(Publish|Approve)…/)),
    createScene("publications", "publications"),
    createScene("upcoming", "publications/upcoming"),
    createScene("approvals", "publications/approvals"),
    createScene("assets", "assets"),
    createScene("assets-list", "assets?view=list"),
    createScene("members", "members"),
    createScene("clients", "clients"),
    createScene("platforms", "platforms"),
    createScene("activity", "activity"),
    createScene("trash", "trash"),
    createScene("switcher", "posts", (page) => clickButton(page, /Switch studio/)),
    createScene("account-menu", "posts", async (page) => {
      const menu = page.getByRole("button", { name: /^Menu/ });
      if (await menu.isVisible()) await menu.click();
      await clickButton(page, /Mira Okafor/);
    }),
    createScene("palette", "posts", (page) => openPalette(page, "")),
    createScene("palette-search", "posts", (page) => openPalette(page, "glaze")),
    createScene("palette-nothing", "posts", (page) => openPalette(page, "lighthouse")),
    createScene("shortcuts", "posts", (page) => page.keyboard.press("?")),
    { name: "dev-ui", user, prepare: (page) => openAndSettle(page, `${base}/dev/ui`) },
  ];
}
