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
  const view = (
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
    view("posts", "posts"),
    view("board", "posts?view=board"),
    view("calendar-month", "posts?view=calendar"),
    view("calendar-week", "posts?view=calendar&range=week"),
    view("calendar-agenda", "posts?view=calendar&range=agenda"),
    view("list", "publications"),
    view("list-empty", "publications", undefined, emptyStudioOwner),
    view("list-filtered", "publications?state=published&from=2020-01-01&to=2020-02-01"),
    view("approvals", "publications/approvals", (page) => page.getByRole("group", { name: "Text" }).first().waitFor()),
    view("approvals-empty", "publications/approvals", undefined, emptyStudioOwner),
    ...Object.entries(publicationIds).map(([state, id]) =>
      view(state, `publications/${id}`, (page) => page.getByRole("group", { name: "Text" }).first().waitFor()),
    ),
    view("resolve", `publications/${publicationIds.unconfirmed}`, (page) => clickButton(page, "Mark as published…")),
    view("again", `publications/${publicationIds.unconfirmed}`, (page) => clickButton(page, "Publish again…")),
    view("not-found", "publications/pub_nothing"),
    view("post", `posts/${proposedPostId}`, (page) => page.getByRole("heading", { name: "Publishing" }).waitFor()),
    view("post-member", `posts/${draftPostId}`, (page) => clickButton(page, "Publish…"), member),
    view("post-schedule", `posts/${draftPostId}`, (page) => clickButton(page, "Schedule…")),
    view("post-variant", `posts/${draftPostId}`, (page) => clickButton(page, "Text and preview for bluedoor")),
    view("post-cancel", `posts/${proposedPostId}`, (page) => clickButton(page, "Cancel publication to bluedoor")),
    view("post-reschedule", `posts/${proposedPostId}`, (page) => clickButton(page, "Reschedule bluedoor")),
    view("settings", "settings"),
    view("activity", "activity"),
  ];
}
