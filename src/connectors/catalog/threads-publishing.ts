import { createContainerPublishing } from "../graph/containers.ts";
import { classifyGraphError } from "../graph/errors.ts";
import type { PublishContext, Publishing } from "../publishing.ts";

export const threadsPublishing: Publishing = {
  listPostHosts: () => ["threads.com", "threads.net"],
  classifyError: classifyGraphError,
  ...createContainerPublishing({
    version: "v1.0",
    edges: {
      containers: "threads",
      publish: "threads_publish",
      quota: "threads_publishing_limit",
      posts: "threads",
    },
    statusField: "status",
    text: { field: "text", param: "text" },
    buildMediaParams,
    textOnlyParams: { media_type: "TEXT" },
  }),
};

function buildMediaParams(context: PublishContext, isChild: boolean, index: number): Record<string, string> {
  const asset = context.content.assets[index];
  if (!asset) throw new Error(`the post has no file ${index}`);
  const url = context.createMediaUrl(asset);
  const { kind, altText } = asset;
  return {
    ...(kind === "video" ? { media_type: "VIDEO", video_url: url } : { media_type: "IMAGE", image_url: url }),
    ...(altText === null || altText === "" ? {} : { alt_text: altText }),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  };
}
