import { createContainerModule } from "../graph/containers.ts";
import { buildOptionParams } from "./options.ts";

/** In the path of each call. */
export const apiVersion = "v25.0";

export const publishing = createContainerModule(
  ["instagram.com"],
  {
    version: apiVersion,
    edges: { containers: "media", publish: "media_publish", quota: "content_publishing_limit", posts: "media" },
    statusField: "status_code",
    textField: "caption",
  },
  // Only images have alt text. A single video is a reel.
  ({ kind, altText }, url, isChild) => ({
    ...(kind === "video" ? { video_url: url } : { image_url: url }),
    ...(kind === "video" && isChild ? { media_type: "VIDEO" } : {}),
    ...(kind === "video" && !isChild ? { media_type: "REELS" } : {}),
    ...(kind === "image" && altText !== null && altText !== "" ? { alt_text: altText } : {}),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  }),
  ({ options, content: { assets } }) => buildOptionParams(options, assets.length === 1 && assets[0]?.kind === "video"),
);
