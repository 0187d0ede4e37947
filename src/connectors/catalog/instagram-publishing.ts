import { createContainerPublishing } from "../graph/containers.ts";
import { classifyGraphError } from "../graph/errors.ts";
import type { PublishContext, Publishing } from "../publishing.ts";

export const instagramPublishing: Publishing = {
  listPostHosts: () => ["instagram.com"],
  classifyError: classifyGraphError,
  ...createContainerPublishing({
    version: "v25.0",
    edges: { containers: "media", publish: "media_publish", quota: "content_publishing_limit", posts: "media" },
    statusField: "status_code",
    text: { field: "caption", param: "caption" },
    buildMediaParams,
  }),
};

/** Only images have alt text. A single video is a reel, which is also shown in the feed. */
function buildMediaParams(context: PublishContext, isChild: boolean, index: number): Record<string, string> {
  const asset = context.content.assets[index];
  if (!asset) throw new Error(`the post has no file ${index}`);
  const url = context.createMediaUrl(asset);
  const { kind, altText } = asset;
  return {
    ...(kind === "video" ? { video_url: url } : { image_url: url }),
    ...(kind === "video" && isChild ? { media_type: "VIDEO" } : {}),
    ...(kind === "video" && !isChild ? { media_type: "REELS", share_to_feed: "true" } : {}),
    ...(kind === "image" && altText !== null && altText !== "" ? { alt_text: altText } : {}),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  };
}
