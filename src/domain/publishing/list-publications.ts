import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { type Page, pageInput, parseCursor, parseTimeCursor, toPage, toTimePage } from "../model/page.ts";
import { parsePostId } from "../model/post.ts";
import { type PublicationCounts, publicationOrders } from "../ports/publications.ts";
import { isLate, resultAges } from "../model/results.ts";
import { visibleStates } from "../model/publication-states.ts";
import {
  publicationView,
  type PublicationWithNames,
  toPublicationView,
  toWebPublicationView,
  type WebPublicationView,
} from "../model/publication.ts";
import { id, isoTime } from "../model/text.ts";
import { authorize } from "../policy.ts";
import { resultsView, toResultsView } from "./results.ts";
import type { Deps } from "../ports/deps.ts";

export const listPublicationsInput = z.strictObject({
  postId: id.optional(),
  state: z.enum(visibleStates).optional(),
  from: isoTime.optional().describe("Earliest time: when published, else when scheduled for, else when created."),
  to: isoTime.optional().describe("Latest time, compared like from."),
  includeResults: z.boolean().optional().describe("Adds each published post's newest likes, comments, …"),
  resultsAge: z
    .literal(resultAges)
    .optional()
    .describe("Instead of the newest, those read when it was so many hours old."),
  ...pageInput,
});

const listedPublication = publicationView.extend({ results: resultsView.nullable().optional() });

export const listPublicationsOutput = z.object({
  publications: z.array(listedPublication),
  nextCursor: z.string().nullable(),
});

/** `latest` leaves out publications that a newer one of the same post to the same account has replaced. */
export const listWebPublicationsInput = listPublicationsInput.extend({
  latest: z.boolean().optional(),
  order: z.enum(publicationOrders).optional(),
});

type Input = z.infer<typeof listPublicationsInput>;
type WebInput = z.infer<typeof listWebPublicationsInput>;
type ListDeps = Pick<Deps, "publications" | "posts" | "results" | "clock">;

/** Lists the studio's publications, newest first. */
export async function listPublications(
  deps: ListDeps,
  caller: Caller,
  input: Input,
): Promise<z.infer<typeof listPublicationsOutput>> {
  const { items, nextCursor } = await findPage(deps, caller, input);
  return { publications: await addResults(deps, input, items.map(toPublicationView)), nextCursor };
}

/** The same list for the web app, which can order it by planned time. */
export async function listWebPublications(
  deps: ListDeps,
  caller: Caller,
  input: WebInput,
): Promise<{ publications: WithResults<WebPublicationView>[]; nextCursor: string | null }> {
  const { items, nextCursor } = await findPage(deps, caller, input);
  return { publications: await addResults(deps, input, items.map(toWebPublicationView)), nextCursor };
}

type WithResults<View> = View & Pick<z.infer<typeof listedPublication>, "results">;

/** Adds the newest results of each publication, or those at an age, if they are asked for; otherwise null. */
async function addResults<View extends Pick<WebPublicationView, "id" | "publishedAt">>(
  { results }: ListDeps,
  { includeResults = false, resultsAge }: Input,
  views: View[],
): Promise<WithResults<View>[]> {
  if (!includeResults) return views;
  const ids = views.map(({ id: publicationId }) => publicationId);
  const snapshots = await (resultsAge === undefined ? results.listLatest(ids) : results.listByAge(ids, resultsAge));
  const byId = new Map(snapshots.map((snapshot) => [snapshot.publicationId, snapshot]));
  return views.map((view) => {
    const snapshot = byId.get(view.id);
    const isShown = snapshot && (resultsAge === undefined || !isLate(snapshot, Date.parse(view.publishedAt ?? "")));
    return { ...view, results: isShown ? toResultsView(snapshot) : null };
  });
}

async function findPage(
  { publications, posts, clock }: ListDeps,
  caller: Caller,
  input: WebInput,
): Promise<Page<PublicationWithNames>> {
  authorize(caller, "publications.read");
  const { postId, state, from, to, latest = false, order, limit } = input;
  if (postId !== undefined && !(await posts.findWithTrash(caller.studio.id, parsePostId(postId), clock())))
    throw notFoundError("post");
  const isSoonestFirst = order === "soonest";
  const listKey = `publications ${caller.studio.id} ${postId ?? ""} ${state ?? ""} ${from ?? ""} ${to ?? ""}${latest ? " latest" : ""}${isSoonestFirst ? " soonest" : ""}`;
  const rows = await publications.list(caller.studio.id, {
    postId,
    state,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    latest,
    order,
    ...(isSoonestFirst
      ? { after: parseTimeCursor(input.cursor, listKey) }
      : { before: parseCursor(input.cursor, listKey) }),
    limit: limit + 1,
  });
  return isSoonestFirst
    ? toTimePage(rows, limit, listKey, ({ scheduledFor }) => scheduledFor ?? 0)
    : toPage(rows, limit, listKey);
}

export const countPublicationsInput = z.strictObject({
  /** Earlier failures and requests that were sent back do not count. */
  from: isoTime.optional(),
});

/** The highest count; more publications are not counted. */
const maxCount = 100;

/**
 * Counts the publications that wait for this user: proposals of others, problems that only a person can solve, and own
 * requests that were sent back.
 */
export async function countPublications(
  deps: Pick<Deps, "publications">,
  caller: Caller,
  { from }: z.infer<typeof countPublicationsInput>,
): Promise<PublicationCounts & { maxCount: number }> {
  authorize(caller, "publications.read");
  const counts = await deps.publications.count(caller.studio.id, {
    userId: caller.user.id,
    from: from === undefined ? 0 : Date.parse(from),
    maxCount,
  });
  return { ...counts, maxCount };
}
