import { previewAssets } from "#domain/assets/thumbnails.ts";
import { getPost, getPostInput } from "#domain/posts/get-post.ts";
import { postView } from "#domain/posts/post.ts";
import { defineTool } from "../define-tool.ts";

export const getPostTool = defineTool({
  name: "get_post",
  title: "Get a post",
  description:
    "Get a post with its title, body, status, revision, ordered assets with download URLs, its page in the web app, and the problems each connected platform would report (validation). " +
    "Find the id with list_posts. Call this before update_post and pass the revision on. " +
    "Set includePreviews only when you need to see the images: up to four, 512 px each.",
  scope: "studio:read",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getPostInput,
  output: postView,
  run: getPost,
  getPreviews: async (deps, caller, { includePreviews }, { assets }) =>
    includePreviews
      ? previewAssets(
          deps,
          caller,
          assets.map((asset) => asset.id),
        )
      : [],
});
