import { previewAssets } from "#domain/assets/thumbnails.ts";
import { getPost, getPostInput } from "#domain/posts/get-post.ts";
import { postView } from "#domain/posts/post.ts";
import { defineTool } from "../define-tool.ts";

export const getPostTool = defineTool({
  name: "get_post",
  title: "Read a post",
  description:
    "Reads one post whole: title, body, status, revision, its assets in order with addresses to read them from, the address of its page in the web app, and what each connected platform would refuse of it (validation). " +
    "With includePreviews you also see its first pictures (up to four of 512 px); ask for that only when you need to look at them. " +
    "Use it before update_post, and give the revision it answers along with the change. Take the id from list_posts. Costs nothing and changes nothing.",
  scope: "studio:read",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getPostInput,
  output: postView,
  run: getPost,
  previews: async (deps, caller, { includePreviews }, { assets }) =>
    includePreviews
      ? previewAssets(
          deps,
          caller,
          assets.map((asset) => asset.id),
        )
      : [],
});
