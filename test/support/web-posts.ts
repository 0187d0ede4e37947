import type { BrowserContextOptions, Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { waitForPaint } from "./page-waits.ts";
import { jpeg, pdf, png } from "./samples.ts";
import { newStudio, newUser } from "./users.ts";
import type { WebFixture } from "./web-fixture.ts";

/** Creates the studio “North” and its owner, Ada Berg. */
export async function createOwner(deps: Deps, { timezone }: { timezone?: string } = {}): Promise<Caller> {
  const owner = await newStudio(deps, await newUser(deps, { name: "Ada Berg" }), "North");
  if (timezone !== undefined) await deps.studios.update(owner.studio.id, { timezone });
  return owner;
}

/** Creates a post with files of these names; returns its id. Other options change the post. */
export async function createPostWithFiles(
  deps: Deps,
  owner: Caller,
  title: string,
  {
    filenames = [],
    ...change
  }: { filenames?: readonly string[] } & Omit<Parameters<typeof updatePost>[2], "postId"> = {},
): Promise<string> {
  const { id: postId } = await createPost(deps, owner, { title, body: `${title}.` });
  if (Object.keys(change).length > 0) await updatePost(deps, owner, { postId, ...change });
  for (const filename of filenames) await attachNewFile(deps, owner, postId, filename);
  return postId;
}

/** Attaches a new file: a PDF if its name ends with `.pdf`, otherwise a JPEG. Returns the id of the asset. */
export async function attachNewFile(deps: Deps, owner: Caller, postId: string, filename: string): Promise<string> {
  const upload = filename.endsWith(".pdf")
    ? ({ kind: "document", mimeType: "application/pdf", base64: pdf.toString("base64"), filename } as const)
    : ({ kind: "image", mimeType: "image/jpeg", base64: (await jpeg()).toString("base64"), filename } as const);
  const { assetId } = await uploadAssetInline(deps, owner, upload);
  await attachAsset(deps, owner, { postId, assetId });
  return assetId;
}

/** Uploads an unattached PNG; returns the id of the asset. */
export async function uploadImage(
  deps: Deps,
  owner: Caller,
  filename: string,
  change: Omit<Parameters<typeof updateAsset>[2], "assetId"> = {},
): Promise<string> {
  const image = { kind: "image", mimeType: "image/png", base64: (await png()).toString("base64"), filename } as const;
  const { assetId } = await uploadAssetInline(deps, owner, image);
  if (Object.keys(change).length > 0) await updateAsset(deps, owner, { assetId, ...change });
  return assetId;
}

/** Opens a page of the owner's studio, such as `posts?view=board`, until it handles keys. */
export async function openStudioPage(
  { openContext, service }: WebFixture,
  owner: Caller,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await openContext(owner, { viewport: { width: 1280, height: 900 }, bypassCSP: true, ...options });
  const page = await context.newPage();
  await page.goto(`${service.base}/studios/${owner.studio.id}/${path}`);
  await page.getByRole("heading").first().waitFor();
  await waitForPaint(page);
  return page;
}
