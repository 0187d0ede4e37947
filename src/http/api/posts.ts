import { Hono } from "hono";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import type { ApiParts, InStudio } from "./context.ts";
import { jsonBody, query } from "./input.ts";
import { jsonUnlessKnown } from "./unless-known.ts";

const postChange = updatePostInput.omit({ postId: true });

export function postRoutes({ deps }: ApiParts) {
  return new Hono<InStudio>()
    .get("/posts", query(listPostsInput), async (c) =>
      jsonUnlessKnown(c, await listPosts(deps, c.var.caller, c.req.valid("query"))),
    )
    .post("/posts", jsonBody(createPostInput), async (c) =>
      c.json(await createPost(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .get("/posts/:postId", async (c) =>
      jsonUnlessKnown(c, await getPost(deps, c.var.caller, { postId: c.req.param("postId") })),
    )
    .patch("/posts/:postId", jsonBody(postChange), async (c) =>
      c.json(await updatePost(deps, c.var.caller, { ...c.req.valid("json"), postId: c.req.param("postId") })),
    );
}
