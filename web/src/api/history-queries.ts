import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson } from "./client.ts";
import { previewUndo, type undoClientChanges } from "./mutations.ts";
import { createSelect, pagedQuery, type ListPage } from "./paged-query.ts";

const studioApi = api.studios[":studioId"];
const postApi = studioApi.posts[":postId"];

export type Revision = InferResponseType<typeof postApi.revisions.$get>["revisions"][number];
export type TrashItem = InferResponseType<typeof studioApi.trash.$get>["items"][number];
export type UndoResult = Awaited<ReturnType<typeof undoClientChanges>>;

const selectRevisions = createSelect(({ revisions }: InferResponseType<typeof postApi.revisions.$get>) => revisions);
const selectTrash = createSelect(({ items }: InferResponseType<typeof studioApi.trash.$get>) => items);

export const revisionsQuery = (studioId: string, postId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "revisions", postId],
    limit: 20,
    fetchPage: (page, options) => postApi.revisions.$get({ param: { studioId, postId }, query: page }, options),
    select: selectRevisions,
  });

/** A revision never changes. */
export const revisionQuery = (studioId: string, postId: string, revision: number) =>
  queryOptions({
    queryKey: ["studio", studioId, "revision", postId, revision],
    queryFn: () =>
      fetchJson(postApi.revisions[":revision"].$get({ param: { studioId, postId, revision: String(revision) } })),
    staleTime: "static",
  });

/** The changes after a revision, newest first; at most about 1,000. `current` is the revision of the post now. */
export const changesSinceQuery = (studioId: string, postId: string, since: number, current: number) =>
  queryOptions({
    queryKey: ["studio", studioId, "changes-since", postId, since, current],
    queryFn: async () => {
      const changes: Revision[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: string; cursor?: string } = { limit: "100", ...(cursor === null ? {} : { cursor }) };
        const page: { revisions: Revision[] } & ListPage = await fetchJson(
          postApi.revisions.$get({ param: { studioId, postId }, query }),
        );
        const newRevisions = page.revisions.filter(({ revision }) => revision > since);
        changes.push(...newRevisions);
        cursor = newRevisions.length < page.revisions.length ? null : page.nextCursor;
      } while (cursor !== null && changes.length < 1000);
      return changes;
    },
    staleTime: "static",
  });

export const trashQuery = (studioId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "trash"],
    limit: 50,
    fetchPage: (page, options) => studioApi.trash.$get({ param: { studioId }, query: page }, options),
    select: selectTrash,
  });

/** Counts what is in the trash, up to a thousand. */
export async function countTrash(studioId: string): Promise<{ count: number; hasMore: boolean }> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const query: { limit: string; cursor?: string } = { limit: "100", ...(cursor === null ? {} : { cursor }) };
    const page: { items: TrashItem[] } & ListPage = await fetchJson(
      studioApi.trash.$get({ param: { studioId }, query }),
    );
    count += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && count < 1000);
  return { count, hasMore: cursor !== null };
}

/** What undoing a client's changes would do now. */
export const undoDryRunQuery = (studioId: string, grantId: string, since: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "undo", grantId, since],
    queryFn: () => previewUndo({ studioId, grantId }, since),
    gcTime: 0,
  });
