import type { Tool } from "./tool.ts";
import { createPostTool } from "./tools/create-post.ts";
import { getPostTool } from "./tools/get-post.ts";
import { listActivityTool } from "./tools/list-activity.ts";
import { listPostsTool } from "./tools/list-posts.ts";
import { updatePostTool } from "./tools/update-post.ts";
import { whoamiTool } from "./tools/whoami.ts";

/** Every tool, in the order clients see them. A new one is a file and a line. */
export const tools: readonly Tool[] = [
  whoamiTool,
  listPostsTool,
  getPostTool,
  createPostTool,
  updatePostTool,
  listActivityTool,
];
