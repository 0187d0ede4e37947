import { Hono } from "hono";
import { z } from "zod";
import { getPostHistory, getPostHistoryInput, getRevision } from "#domain/history/get-post-history.ts";
import { previewRestore, restorePost, restorePostInput } from "#domain/history/restore-post.ts";
import {
  countPosts,
  countPostsInput,
  listPostSummaries,
  listPostSummariesInput,
} from "#domain/posts/list-post-summaries.ts";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { approveInput } from "#domain/steps/approve-again.ts";
import {
  createLibraryUploadLink,
  createUploadLink,
  createUploadLinkInput,
} from "#domain/uploads/create-upload-link.ts";
import { listUploadLinks, withdrawUploadLink } from "#domain/uploads/upload-link.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

const historyQuery = getPostHistoryInput.omit({ postId: true });
const restorePostBody = restorePostInput
  .omit({ postId: true })
  .extend({ dryRun: z.boolean().optional(), approve: approveInput });
const updatePostBody = updatePostInput.omit({ postId: true }).extend({ keepsPreviousRevision: z.boolean().optional() });

export function createPostRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/posts", validateQuery(listPostsInput), async (c) =>
      jsonWithEtag(c, await listPosts(deps, c.var.caller, { includeBody: true, ...c.req.valid("query") })),
    )
    .get("/post-summaries", validateQuery(listPostSummariesInput), async (c) =>
      jsonWithEtag(c, await listPostSummaries(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/post-count", validateQuery(countPostsInput), async (c) =>
      c.json(await countPosts(deps, c.var.caller, c.req.valid("query"))),
    )
    .post("/posts", validateJson(createPostInput), async (c) =>
      c.json(await createPost(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .get("/posts/:postId", async (c) => jsonWithEtag(c, await getPost(deps, c.var.caller, c.req.param())))
    .delete("/posts/:postId", async (c) => noContent(c, deletePost(deps, c.var.caller, c.req.param())))
    .get("/posts/:postId/revisions", validateQuery(historyQuery), async (c) =>
      c.json(await getPostHistory(deps, c.var.caller, { ...c.req.valid("query"), ...c.req.param() })),
    )
    .get("/posts/:postId/revisions/:revision", async (c) =>
      c.json(await getRevision(deps, c.var.caller, c.req.param())),
    )
    .post("/posts/:postId/restore", validateJson(restorePostBody), async (c) => {
      const { dryRun, ...restore } = c.req.valid("json");
      const input = { ...restore, postId: c.req.param("postId") };
      return dryRun
        ? c.json(await previewRestore(deps, c.var.caller, input))
        : c.json(await restorePost(deps, c.var.caller, input));
    })
    .patch("/posts/:postId", validateJson(updatePostBody), async (c) => {
      const { keepsPreviousRevision, ...change } = c.req.valid("json");
      const input = { ...change, postId: c.req.param("postId") };
      return c.json(await updatePost(deps, c.var.caller, input, { keepsPreviousRevision }));
    });
}

const createUploadLinkBody = createUploadLinkInput.omit({ postId: true });

export function createUploadLinkRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .post("/upload-links", async (c) => c.json(await createLibraryUploadLink(deps, c.var.caller), 201))
    .get("/posts/:postId/upload-links", async (c) => c.json(await listUploadLinks(deps, c.var.caller, c.req.param())))
    .post("/posts/:postId/upload-links", validateJson(createUploadLinkBody), async (c) =>
      c.json(await createUploadLink(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() }), 201),
    )
    .delete("/posts/:postId/upload-links/:linkId", async (c) =>
      noContent(c, withdrawUploadLink(deps, c.var.caller, c.req.param())),
    );
}
