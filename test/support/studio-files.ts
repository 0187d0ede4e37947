import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { putBytes, sha256 } from "./stores.ts";
import type { StudioClient } from "./studio-client.ts";

/** What the service has acknowledged of an asset: its bytes, and its post once it is attached. */
export interface AcknowledgedAsset {
  digest: string;
  postId: string | null;
}

/** Uploads a file, inline or presigned, and attaches it to a new post. Calls back after each acknowledged write. */
export async function uploadAndAttach(
  studio: StudioClient,
  isInline: boolean,
  assets: Map<string, AcknowledgedAsset>,
  onAcknowledged: () => void,
): Promise<void> {
  const content = Buffer.from(randomBytes(5000).toString("hex"));
  const digest = sha256(content);
  const declaredType = { kind: "document", mimeType: "text/plain" };
  const post = await studio.call("create_post", { title: "A", body: "" });
  onAcknowledged();
  const { assetId, uploadUrl } = isInline
    ? await studio.call("upload_asset_inline", { ...declaredType, base64: content.toString("base64") })
    : await studio.call("request_asset_upload", declaredType);
  if (isInline) assets.set(assetId, { digest, postId: null });
  else {
    const status = await putBytes(uploadUrl, content);
    if (status !== 200) throw new Error(`upload: ${status} `);
  }
  onAcknowledged();
  await studio.call("attach_asset", { postId: post.id, assetId });
  assets.set(assetId, { digest, postId: post.id });
  onAcknowledged();
}

/** Asserts that an asset is stored as acknowledged. */
export async function assertStored(studio: StudioClient, assetId: string, expected: AcknowledgedAsset): Promise<void> {
  const asset = await studio.call("get_asset", { assetId, includeUrls: true });
  assert.equal(asset.status, "ready");
  // Even if the attach was not acknowledged, the asset may be on the post.
  if (expected.postId !== null) assert.equal(asset.postId, expected.postId);
  const response = await fetch(asset.url);
  assert.equal(sha256(new Uint8Array(await response.arrayBuffer())), expected.digest, "the stored bytes");
}
