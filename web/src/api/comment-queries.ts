import type { InferResponseType } from "hono/client";
import { api } from "./client.ts";
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
