import { previewAssets } from "#domain/assets/thumbnails.ts";
import { getPost, getPostInput, getPostOutput } from "#domain/posts/get-post.ts";
import { defineTool } from "../define-tool.ts";

export const getPostTool = defineTool({
  name: "get_post",
  title: "Get a post",
  description:
    "Get a post: text, status, revision, assets in order, publications, and what each connected platform would reject (validation). Call it before update_post and pass the revision on. Ask for previews, URLs or comments only when you need them.",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  showsChatApp: true,
  input: getPostInput,
  output: getPostOutput,
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
