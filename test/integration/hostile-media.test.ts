import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { animations } from "../support/animations.ts";
import { forEachEngine } from "../support/engines.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { createKnownAttacks, createNestedContainers } from "../support/mutated-videos.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("hostile media", (fixture) => {
  test("stores a video, but not header values that exceed the range of their database column (U15)", async () => {
    const files = createHookedFiles(fixture.clock);
    const deps = { ...fixture.deps, files };
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Videos", body: "" });
    for (const { name, mimeType, bytes } of [...createKnownAttacks(), ...createNestedContainers()]) {
      const inline = { kind: "video" as const, mimeType, base64: bytes.toString("base64") };
      const { assetId: inlineId } = await uploadAssetInline(deps, owner, inline);
      const { assetId: presignedId } = await requestAssetUpload(deps, owner, { kind: "video", mimeType });
      await files.put(incomingKey(presignedId), bytes);
      await attachAsset(deps, owner, { postId, assetId: presignedId });
      for (const assetId of [inlineId, presignedId]) {
        const { status, width, height, durationMs } = await getAsset(deps, owner, { assetId });
        assert.equal(status, "ready", name);
        if (name.includes("out of range"))
          assert.deepEqual([width, height, durationMs], [undefined, undefined, undefined]);
      }
    }
  });

  test("rejects an image of too many frames, inline or presigned, and keeps nothing of it (ASSET-19, U11, F6)", async () => {
    const files = createHookedFiles(fixture.clock);
    const deps = { ...fixture.deps, files };
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Images", body: "" });
    for (const { name, mimeType, create } of animations) {
      const bytes = await create(2001, 100_000);
      const inline = { kind: "image" as const, mimeType, base64: bytes.toString("base64") };
      assert.equal(await getOutcome(uploadAssetInline(deps, owner, inline)), "too_large", name);
      const { assetId } = await requestAssetUpload(deps, owner, { kind: "image", mimeType });
      await files.put(incomingKey(assetId), bytes);
      assert.equal(await getOutcome(attachAsset(deps, owner, { postId, assetId })), "too_large", name);
      assert.equal(await getOutcome(getAsset(deps, owner, { assetId })), "not_found", name);
    }
  });
});
