import { createContainerModule } from "../graph/containers.ts";
import { buildOptionParams } from "./options.ts";

export const publishing = createContainerModule(
  ["threads.com", "threads.net"],
  {
    version: "v1.0",
    edges: {
      containers: "threads",
      publish: "threads_publish",
      quota: "threads_publishing_limit",
      posts: "threads",
      replies: "replies",
    },
    statusField: "status",
    textField: "text",
  },
  ({ kind, altText }, url, isChild) => ({
    ...(kind === "video" ? { media_type: "VIDEO", video_url: url } : { media_type: "IMAGE", image_url: url }),
    ...(altText === null || altText === "" ? {} : { alt_text: altText }),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  }),
  ({ options, replyTo }) => ({
    ...buildOptionParams(options, replyTo !== null),
    ...(replyTo && { reply_to_id: replyTo.parentId }),
  }),
);
