import type { InferResponseType } from "hono/client";
import { api, fetchJson, sendRequest } from "./client.ts";
import { createSelect, pagedQuery } from "./paged-query.ts";

const studioApi = api.studios[":studioId"];
const commentsApi = studioApi.posts[":postId"].comments;

type CommentPage = InferResponseType<typeof commentsApi.$get>;
export type Comment = CommentPage["comments"][number];

const selectComments = createSelect(({ comments }: CommentPage) => comments);

export const commentsQuery = (studioId: string, postId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "comments", postId],
    limit: 100,
    fetchPage: (page, options) => commentsApi.$get({ param: { studioId, postId }, query: page }, options),
    select: selectComments,
  });

export const addComment = (studioId: string, postId: string, json: { body: string; parentId?: string }) =>
  fetchJson(commentsApi.$post({ param: { studioId, postId }, json }));

/** Resolves or reopens the thread that the comment started. */
export const setThreadResolved = (studioId: string, { id, postId }: Comment, isResolved: boolean) =>
  fetchJson(
    commentsApi[":commentId"].$patch({ param: { studioId, postId, commentId: id }, json: { resolved: isResolved } }),
  );

export const deleteComment = (studioId: string, { id, postId }: Comment) =>
  sendRequest(commentsApi[":commentId"].$delete({ param: { studioId, postId, commentId: id } }));
