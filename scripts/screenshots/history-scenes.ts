import type { Page } from "playwright-core";
import { deletePost } from "#domain/posts/delete-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { newStudio, newUser } from "../../test/support/users.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { createHistoryStudio, type HistoryStudio } from "./history-studio.ts";
import { createClientCaller, samplePostBody } from "./studio.ts";
import { openAndSettle, type Scene } from "./web-scenes.ts";

const clickButton = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();

/** Scenes of history, trash and undo. */
export async function createHistoryScenes({ service }: WebFixture): Promise<Scene[]> {
  const { base, deps } = service;
  const sample = await createHistoryStudio(deps, await newUser(deps, { name: "Mira Okafor" }));
  const emptyStudioOwner = await newStudio(deps, await newUser(deps, { name: "Noor Haddad" }), "North Light");
  const emptyStudioClient = await createClientCaller(deps, emptyStudioOwner, "Claude", "claude.ai", true);
  const open = (page: Page, { studio }: { studio: { id: string } }, path: string) =>
    openAndSettle(page, `${base}/studios/${studio.id}/${path}`);
  const createViewScene = (
    name: string,
    path: string,
    interact: (page: Page) => Promise<unknown> = async () => {},
  ): Scene => ({
    name,
    user: sample.owner,
    prepare: async (page) => {
      await open(page, sample.owner, path);
      await interact(page);
    },
  });
  /** A scene that changes data. It runs alone, because it creates a studio, which becomes the user's active studio. */
  const createChangeScene = async (
    name: string,
    prepare: (page: Page, studio: HistoryStudio) => Promise<unknown>,
  ): Promise<Scene> => {
    const user = await newUser(deps, { name: "Mira Okafor" });
    return {
      name,
      user,
      isExclusive: true,
      prepare: async (page) => void (await prepare(page, await createHistoryStudio(deps, user))),
    };
  };
  const openHistory = async (page: Page, studio: HistoryStudio): Promise<void> => {
    await open(page, studio.owner, `posts/${studio.readyPostId}`);
    await clickButton(page, "History");
    await page.getByRole("list", { name: "Revisions" }).waitFor();
  };
  const undoAll = async (page: Page, { owner, grantId }: HistoryStudio): Promise<void> => {
    await open(page, owner, `clients/${grantId}/undo`);
    await page.getByLabel("Last 7 days").check();
    await clickButton(page, /^Undo \d+ changes$/);
    await page.getByRole("heading", { name: /undone$/, level: 2 }).waitFor();
    await page.waitForTimeout(500);
  };

  return [
    createViewScene("post-ready-changed", `posts/${sample.readyPostId}`, (page) =>
      page.getByRole("heading", { name: "Changed since" }).waitFor(),
    ),
    {
      name: "post-history",
      user: sample.owner,
      prepare: async (page) => {
        await openHistory(page, sample);
        for (const summary of await page.locator("summary:visible", { hasText: "of revision" }).all())
          if (!(await summary.locator("..").evaluate((details) => (details as { open?: boolean }).open)))
            await summary.click();
      },
    },
    await createChangeScene("post-history-first", async (page, { owner }) => {
      const { id } = await createPost(deps, owner, { title: "A new post", body: samplePostBody });
      await open(page, owner, `posts/${id}`);
      await clickButton(page, "History");
      await page.getByText("This is the first revision").waitFor();
    }),
    await createChangeScene("post-history-restored", async (page, studio) => {
      await openHistory(page, studio);
      await page
        .getByRole("button", { name: /^Restore revision/ })
        .nth(3)
        .click();
      await page
        .getByText(/restored\.$/)
        .first()
        .waitFor();
    }),
    await createChangeScene("post-history-restored-without-file", async (page, studio) => {
      const { owner, readyPostId } = studio;
      await openHistory(page, studio);
      const assets = await deps.assets.listByPosts([readyPostId]);
      const assetId = assets[0]?.id ?? "";
      await detachAsset(deps, owner, { postId: readyPostId, assetId });
      await deleteAsset(deps, owner, { assetId });
      await emptyTrash(deps, owner);
      await page
        .getByRole("button", { name: /^Restore revision/ })
        .nth(2)
        .click();
      await page
        .getByText(/^Restored without/)
        .first()
        .waitFor();
    }),
    await createChangeScene("post-merged", async (page, { owner }) => {
      const { id } = await createPost(deps, owner, { title: "Spring catalogue: the cover", body: samplePostBody });
      const claude = await createClientCaller(deps, owner, "Claude", "claude.ai", true);
      await open(page, owner, `posts/${id}`);
      await page.getByLabel("Text", { exact: true }).fill(samplePostBody.replace("green this year", "blue this year"));
      await updatePost(deps, claude, {
        postId: id,
        body: samplePostBody.replace("first of March", "last of February"),
        revision: 1,
      });
      await page.getByText("Merged with changes by").first().waitFor();
    }),
    await createChangeScene("post-delete-toast", async (page, { owner, readyPostId }) => {
      await open(page, owner, `posts/${readyPostId}`);
      await clickButton(page, "Actions for this post");
      await page.getByRole("menuitem", { name: "Move to trash" }).click();
      await page
        .getByText(/moved to the trash/)
        .first()
        .waitFor();
      await page.waitForTimeout(300);
    }),
    await createChangeScene("post-deleted-elsewhere", async (page, { owner, readyPostId }) => {
      await open(page, owner, `posts/${readyPostId}`);
      await deletePost(deps, owner, { postId: readyPostId });
      await page.getByText("This post was moved to the trash").first().waitFor();
    }),
    await createChangeScene("asset-delete-toast", async (page, { owner }) => {
      await open(page, owner, "assets?usage=unused");
      await clickButton(page, /vase\.jpg/);
      await clickButton(page, "Move to trash");
      await page.getByText("moved to the trash").first().waitFor();
      await page.waitForTimeout(300);
    }),
    createViewScene("trash", "trash"),
    { ...createViewScene("trash-member", "trash"), user: sample.member },
    { name: "trash-empty", user: emptyStudioOwner, prepare: (page) => open(page, emptyStudioOwner, "trash") },
    createViewScene("trash-confirm", "trash", async (page) => {
      await clickButton(page, "Empty trash");
      await page.getByRole("dialog").waitFor();
    }),
    await createChangeScene("trash-restored", async (page, { owner }) => {
      await open(page, owner, "trash");
      await clickButton(page, "Restore Notes from the autumn fair");
      await page
        .getByText(/^Restored/)
        .first()
        .waitFor();
      await page.waitForTimeout(300);
    }),
    createViewScene("undo", `clients/${sample.grantId}/undo`, async (page) => {
      await page.getByLabel("Last 7 days").check();
      await page.getByRole("heading", { name: /would be undone$/ }).waitFor();
      await page.waitForTimeout(500);
    }),
    createViewScene("undo-custom", `clients/${sample.grantId}/undo`, (page) =>
      page.getByLabel("Since a specific time").check(),
    ),
    {
      name: "undo-nothing",
      user: emptyStudioOwner,
      prepare: async (page) => {
        await open(page, emptyStudioOwner, `clients/${emptyStudioClient.grantId}/undo`);
        await page.getByRole("heading", { name: "Nothing to undo" }).waitFor();
      },
    },
    await createChangeScene("undo-result", undoAll),
    await createChangeScene("undo-reversed", async (page, studio) => {
      await undoAll(page, studio);
      await clickButton(page, "Reapply changes");
      await page.getByRole("heading", { name: /reapplied$/, level: 2 }).waitFor();
      await page.waitForTimeout(500);
    }),
  ];
}
