import type { Page } from "playwright-core";
import sharp from "sharp";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { setCrop } from "#domain/renditions/set-crop.ts";
import { newConnection } from "../../test/support/platform-fixture.ts";
import { newStudio, newUser } from "../../test/support/users.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { encodeSampleImage, type SampleImageName } from "./sample-images.ts";
import { openAndSettle, type Scene } from "./web-scenes.ts";

const altTexts: Readonly<Partial<Record<SampleImageName, string>>> = {
  harbour: "A sailing boat in a harbour at sunset",
  fog: "Hills in fog",
  vase: "A red vase with three branches",
};
const body =
  "The spring catalogue is here, with 48 pages about paper. Read it on https://bluedoor.example/spring, or ask @mira@social.example and @mira.bluedoor.example. #paper #spring2027";

/** Scenes of the preview per account. */
export async function createPreviewScenes({ service }: WebFixture): Promise<Scene[]> {
  const { base, deps } = service;
  const owner = await newStudio(deps, await newUser(deps, { name: "Mira Okafor" }), "Blue Door Studio");
  for (const platform of ["instagram", "mastodon", "bluesky", "sandbox"])
    await newConnection(deps, owner, `bluedoor.${platform}`, platform);

  const upload = async (filename: string, mimeType: string, bytes: Buffer): Promise<string> => {
    const kind = mimeType.startsWith("image/") ? "image" : "document";
    const input = { kind, mimeType, base64: bytes.toString("base64"), filename } as const;
    return (await uploadAssetInline(deps, owner, input)).assetId;
  };
  const uploadImage = async (name: SampleImageName, width = 1600, height = 1200): Promise<string> => {
    const bytes = await sharp(await encodeSampleImage(name))
      .resize({ width, height, fit: "cover" })
      .jpeg()
      .toBuffer();
    const assetId = await upload(`${name}.jpg`, "image/jpeg", bytes);
    const altText = altTexts[name];
    if (altText !== undefined) await updateAsset(deps, owner, { assetId, altText });
    return assetId;
  };
  const addPost = async (title: string, text: string, assetIds: readonly string[]): Promise<string> => {
    const { id: postId } = await createPost(deps, owner, { title, body: text });
    for (const assetId of assetIds) await attachAsset(deps, owner, { postId, assetId });
    return postId;
  };

  const singlePostId = await addPost("One image", body, [await uploadImage("harbour")]);
  const panoramaId = await uploadImage("fog", 2400, 800);
  const croppedPostId = await addPost("A wide image", body, [panoramaId]);
  await setCrop(deps, owner, {
    postId: croppedPostId,
    assetId: panoramaId,
    platform: "instagram",
    mode: "crop",
    x: 0.3,
    y: 0.5,
  });
  const paddedPostId = await addPost("Two images", body, [
    await uploadImage("fog", 2400, 800),
    await uploadImage("vase"),
  ]);
  const threeImagesPostId = await addPost("Three images", body, [
    await uploadImage("vase"),
    await uploadImage("door"),
    await uploadImage("paper", 900, 1600),
  ]);
  const fourImagesPostId = await addPost(
    "Four images",
    body,
    await Promise.all((["harbour", "fog", "door", "poster"] as const).map((name) => uploadImage(name))),
  );
  const fiveImagesPostId = await addPost(
    "Five images",
    body,
    await Promise.all((["harbour", "fog", "door", "poster", "vase"] as const).map((name) => uploadImage(name))),
  );
  const longTextPostId = await addPost(
    "A list",
    Array.from({ length: 40 }, (_, i) => `${i + 1}. #paper`).join("\n"),
    [],
  );
  const rejectedPostId = await addPost("A damaged file", body.repeat(4), [
    await uploadImage("vase"),
    await upload(
      "scan.png",
      "image/png",
      (
        await sharp(await encodeSampleImage("door", 300))
          .png()
          .toBuffer()
      ).subarray(0, 500),
    ),
    await upload("price-list.txt", "text/plain", Buffer.from("Prices\n".repeat(20))),
  ]);
  const emptyPostId = await addPost("Nothing yet", "", []);

  const createScene = (name: string, postId: string, platform: string): Scene => ({
    name: `preview-${name}`,
    user: owner,
    prepare: async (page) => {
      await openAndSettle(page, `${base}/studios/${owner.studio.id}/posts/${postId}`);
      await openPreview(page, `bluedoor.${platform}`);
    },
  });
  return [
    createScene("mastodon-one", singlePostId, "mastodon"),
    createScene("instagram-crop", croppedPostId, "instagram"),
    createScene("instagram-pad", paddedPostId, "instagram"),
    createScene("mastodon-three", threeImagesPostId, "mastodon"),
    createScene("bluesky-four", fourImagesPostId, "bluesky"),
    createScene("instagram-five", fiveImagesPostId, "instagram"),
    createScene("mastodon-fold", longTextPostId, "mastodon"),
    createScene("sandbox-rejected", rejectedPostId, "sandbox"),
    createScene("sandbox-empty", emptyPostId, "sandbox"),
  ];
}

async function openPreview(page: Page, account: string): Promise<void> {
  await page.getByRole("tab", { name: new RegExp(`^${account}`) }).click();
  await page.getByRole("group", { name: "Post on" }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForTimeout(500); // for the carousel's and the slider's images
}
