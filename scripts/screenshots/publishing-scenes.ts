import type { Page } from "playwright-core";
import type { SignedInUser } from "#domain/caller.ts";
import { newStudio, newUser } from "../../test/support/users.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { createPublishingStudio } from "./publishing-studio.ts";
import { openAndSettle, type Scene } from "./web-scenes.ts";

/** Scenes of publishing, approvals and the list of publications. */
export async function createPublishingScenes({ service }: WebFixture): Promise<Scene[]> {
  const { base, deps } = service;
  const sample = await createPublishingStudio(deps, await newUser(deps, { name: "Mira Okafor" }));
  const { owner, member, proposedPostId, draftPostId, publicationIds } = sample;
  const emptyStudioOwner = await newStudio(deps, await newUser(deps, { name: "Noor Haddad" }), "North Light");
  const createScene = (
    name: string,
    path: string,
    interact: (page: Page) => Promise<unknown> = async () => {},
    { studio, ...user }: SignedInUser & { studio: { id: string } } = owner,
  ): Scene => ({
    name: `publishing-${name}`,
    user,
    prepare: async (page) => {
      await openAndSettle(page, `${base}/studios/${studio.id}/${path}`);
      await interact(page);
    },
  });
  const clickButton = (page: Page, name: string) => page.getByRole("button", { name }).first().click();

  return [
    createScene("posts", "posts"),
    createScene("board", "posts?view=board"),
    createScene("calendar-month", "posts?view=calendar"),
    createScene("calendar-week", "posts?view=calendar&range=week"),
    createScene("calendar-agenda", "posts?view=calendar&range=agenda"),
    createScene("list", "publications"),
    createScene("list-empty", "publications", undefined, emptyStudioOwner),
    createScene("list-filtered", "publications?state=published&from=2020-01-01&to=2020-02-01"),
    createScene("approvals", "publications/approvals", (page) =>
      page.getByRole("group", { name: "Text" }).first().waitFor(),
    ),
    createScene("approvals-image", "publications/approvals", async (page) => {
      await clickButton(page, "Enlarge poster.jpg");
      await page.locator("dialog [aria-busy=false] img").waitFor();
    }),
    createScene("approvals-post", `publications/approvals?post=${proposedPostId}`, (page) =>
      page.getByRole("group", { name: "Text" }).first().waitFor(),
    ),
    createScene("approvals-empty", "publications/approvals", undefined, emptyStudioOwner),
    ...Object.entries(publicationIds).map(([state, id]) =>
      createScene(state, `publications/${id}`, (page) => page.getByRole("group", { name: "Text" }).first().waitFor()),
    ),
    createScene("resolve", `publications/${publicationIds.unconfirmed}`, (page) =>
      clickButton(page, "Yes, mark as published…"),
    ),
    createScene("again", `publications/${publicationIds.unconfirmed}`, (page) =>
      clickButton(page, "No, publish again"),
    ),
    createScene("not-found", "publications/pub_nothing"),
    createScene("post", `posts/${proposedPostId}`, (page) =>
      page.getByRole("heading", { name: "Publishing" }).waitFor(),
    ),
    createScene("post-member", `posts/${draftPostId}`, (page) => clickButton(page, "Publish…"), member),
    createScene("post-schedule", `posts/${draftPostId}`, (page) => clickButton(page, "Schedule…")),
    createScene("post-variant", `posts/${draftPostId}`, (page) => clickButton(page, "Text and preview for bluedoor")),
    createScene("post-cancel", `posts/${proposedPostId}`, (page) =>
      clickButton(page, "Cancel publication to bluedoor"),
    ),
    createScene("post-reschedule", `posts/${proposedPostId}`, (page) => clickButton(page, "Reschedule bluedoor")),
    createScene("settings", "settings"),
    createScene("activity", "activity"),
  ];
}
