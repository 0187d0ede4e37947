import { createContainerModule } from "../graph/containers.ts";

export const publishing = createContainerModule(
  ["instagram.com"],
  {
    version: "v25.0",
    edges: { containers: "media", publish: "media_publish", quota: "content_publishing_limit", posts: "media" },
    statusField: "status_code",
    textField: "caption",
  },
  // Only images have alt text. A single video is a reel, which is also shown in the feed.
  ({ kind, altText }, url, isChild) => ({
    ...(kind === "video" ? { video_url: url } : { image_url: url }),
    ...(kind === "video" && isChild ? { media_type: "VIDEO" } : {}),
    ...(kind === "video" && !isChild ? { media_type: "REELS", share_to_feed: "true" } : {}),
    ...(kind === "image" && altText !== null && altText !== "" ? { alt_text: altText } : {}),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  }),
);
