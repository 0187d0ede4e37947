import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { incomingKey } from "#domain/assets/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { forEachEngine } from "../support/engines.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { knownAttacks, nestedContainers } from "../support/mutated-videos.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("hostile media", (bed) => {
  test("a video whose header has values that no column holds is stored without them (U15)", async () => {
    const files = createHookedFiles(bed.clock);
    const deps = { ...bed.deps, files };
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Videos", body: "" });
    for (const { name, mimeType, bytes } of [...knownAttacks(), ...nestedContainers()]) {
      const inline = { kind: "video" as const, mimeType, base64: bytes.toString("base64") };
      const { assetId: sent } = await uploadAssetInline(deps, owner, inline);
      const { assetId: put } = await requestAssetUpload(deps, owner, { kind: "video", mimeType });
      await files.put(incomingKey(put), bytes);
      await attachAsset(deps, owner, { postId, assetId: put });
      for (const assetId of [sent, put]) {
        const { status, width, height, durationMs } = await getAsset(deps, owner, { assetId });
        assert.equal(status, "ready", name);
        if (name.includes("no column"))
          assert.deepEqual([width, height, durationMs], [undefined, undefined, undefined]);
      }
    }
  });
});
