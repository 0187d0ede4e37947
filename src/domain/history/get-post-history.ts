import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { kindNames } from "../model/asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { toUserOrClient, userOrClientView } from "../model/user-or-client.ts";
import { encodeCursor, pageInput, parseCursor } from "../model/page.ts";
import { authorize } from "../policy.ts";
import { parsePostId, postStatuses } from "../model/post.ts";
import { limitToAssets, variant } from "../model/variant.ts";
import { crop } from "../model/renditions/crop.ts";
import { id, tagsView } from "../model/text.ts";
import { type Revision, revisionFields } from "../model/revision.ts";

export const getPostHistoryInput = z.strictObject({ postId: id, ...pageInput });

export const revisionView = z.object({
  revision: z.number().int(),
  at: z.string(),
  user: userOrClientView.nullable().describe("Who made the change; null if unknown."),
  client: userOrClientView.nullable().describe("The AI client that acted for the user; null for the web app."),
  changed: z.array(z.enum(revisionFields)).describe("Fields that differ from the previous revision."),
  restoredRevision: z
    .number()
    .int()
    .optional()
    .describe("The earlier revision that this one restored. Absent for other changes."),
  title: z.string(),
  body: z.string(),
  status: z.enum(postStatuses),
  variants: z.array(variant),
  tags: tagsView,
  assets: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(kindNames),
        mimeType: z.string(),
        filename: z.string(),
        altText: z.string().optional(),
      }),
    )
    .describe("In the order of the post. Some may have been deleted since."),
  crops: z.array(crop).optional().describe("How images were cropped for platforms. Absent if none was."),
});

export type RevisionView = z.infer<typeof revisionView>;

export const getPostHistoryOutput = z.object({
  revisions: z.array(revisionView),
  nextCursor: z.string().nullable(),
});

/** Maximum total text length of a page, to bound its size; a page always contains at least one revision. */
const maxTextLength = 500_000;
/** At most nine digits, so that the number fits into the INTEGER column. */
const revisionPattern = /^[1-9]\d{0,8}$/;

/** Lists the revisions of a post, newest first. */
export async function getPostHistory(
  deps: Pick<Deps, "posts" | "revisions">,
  caller: Caller,
  input: z.infer<typeof getPostHistoryInput>,
): Promise<z.infer<typeof getPostHistoryOutput>> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  const listKey = `revisions ${postId}`;
  const before = parseCursor(input.cursor, listKey, revisionPattern);
  if (!(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const { revisions, hasMore } = await deps.revisions.list(postId, {
    before: before === undefined ? undefined : Number(before),
    limit: input.limit,
    maxTextLength,
  });
  const oldest = revisions.at(-1);
  return {
    revisions: revisions.map(toRevisionView),
    nextCursor: hasMore && oldest ? encodeCursor(listKey, String(oldest.revision)) : null,
  };
}

export async function getRevision(
  deps: Pick<Deps, "posts" | "revisions">,
  caller: Caller,
  input: { postId: string; revision: string },
): Promise<RevisionView> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  if (!(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const revision = revisionPattern.test(input.revision)
    ? await deps.revisions.find(postId, Number(input.revision))
    : undefined;
  if (!revision) throw notFoundError("revision");
  return toRevisionView(revision);
}

function toRevisionView(revision: Revision): RevisionView {
  const { userId, userName, clientId, clientName } = revision;
  return {
    revision: revision.revision,
    at: toIsoTime(revision.at),
    user: toUserOrClient(userId, userName),
    client: toUserOrClient(clientId, clientName),
    changed: revision.changed,
    ...(revision.restoredRevision === null ? {} : { restoredRevision: revision.restoredRevision }),
    title: revision.title,
    body: revision.body,
    status: revision.status,
    variants: limitToAssets(revision.variants, revision.assets),
    tags: revision.tags,
    assets: revision.assets.map(({ altText, ...asset }) => ({ ...asset, ...(altText === null ? {} : { altText }) })),
    ...(revision.crops.length === 0 ? {} : { crops: revision.crops }),
  };
}
