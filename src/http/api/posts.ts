import { Hono } from "hono";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson, query } from "./input.ts";
import { jsonWithEtag } from "./unless-known.ts";

const updatePostBody = updatePostInput.omit({ postId: true });

export function createPostRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/posts", query(listPostsInput), async (c) =>
      jsonWithEtag(c, await listPosts(deps, c.var.caller, c.req.valid("query"))),
    )
    .post("/posts", validateJson(createPostInput), async (c) =>
      c.json(await createPost(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .get("/posts/:postId", async (c) =>
      jsonWithEtag(c, await getPost(deps, c.var.caller, { postId: c.req.param("postId") })),
    )
    .patch("/posts/:postId", validateJson(updatePostBody), async (c) =>
      c.json(await updatePost(deps, c.var.caller, { ...c.req.valid("json"), postId: c.req.param("postId") })),
    );
}
