import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity, type ActivityAction } from "../activity/record.ts";
import type { Caller, Operator } from "../caller.ts";
import type { Deps, Stores, Tx } from "../deps.ts";
import { userOrClientView, toUserOrClient } from "../user-or-client.ts";
import { getAccountLabel } from "../platforms/connection.ts";
import type { PublicationWithNames, Publication } from "./ports.ts";
import { toVisibleState, visibleStates } from "./states.ts";

export const publicationView = z.object({
  id: z.string(),
  postId: z.string(),
  connectionId: z.string(),
  platform: z.string(),
  account: z.string(),
  state: z
    .enum(visibleStates)
    .describe(
      "proposed: waits for a person's approval in the web app. scheduled: starts at its time. publishing: is being sent. published: the platform confirmed it. failed: nothing is public. unconfirmed: may be public, a person decides. missed: was due while the server was down. canceled: before it started.",
    ),
  scheduledFor: z.string().nullable().describe("Null: as soon as it is approved."),
  publishedAt: z.string().nullable(),
  url: z.string().nullable().describe("The public post."),
  revision: z.number().int(),
  requestedBy: userOrClientView.nullable(),
  requestedThrough: z.string().nullable().describe("The AI client that requested it."),
  approvedBy: userOrClientView.nullable(),
  hasLostApproval: z
    .literal(true)
    .optional()
    .describe("Only if it is proposed because of a change after its approval."),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: z.string(),
});

export type PublicationView = z.infer<typeof publicationView>;

export function toPublicationView(publication: PublicationWithNames): PublicationView {
  const toTime = (ms: number | null) => (ms === null ? null : toIsoTime(ms));
  return {
    id: publication.id,
    postId: publication.postId,
    connectionId: publication.connectionId,
    platform: publication.platform,
    account: getAccountLabel(publication.account),
    state: toVisibleState(publication.state),
    scheduledFor: toTime(publication.scheduledFor),
    publishedAt: toTime(publication.publishedAt),
    url: publication.url,
    revision: publication.revision,
    requestedBy: toUserOrClient(publication.requestedBy, publication.requestedByName),
    requestedThrough: publication.requestedClientName,
    approvedBy: toUserOrClient(publication.approvedBy, publication.approvedByName),
    ...(publication.state === "proposed" && publication.approvedRevision !== null ? { hasLostApproval: true } : {}),
    problem: publication.problem,
    createdAt: toIsoTime(publication.createdAt),
  };
}

/**
 * The web app offers to publish a failed publication again, or a missed one at another time, unless it is superseded or
 * its post is in the trash.
 */
export type WebPublicationView = PublicationView & Pick<PublicationWithNames, "isSuperseded" | "postTitle">;

export const toWebPublicationView = (publication: PublicationWithNames): WebPublicationView => ({
  ...toPublicationView(publication),
  isSuperseded: publication.isSuperseded,
  postTitle: publication.postTitle,
});

/** A malformed id yields the same `not_found` error as an id of another studio. */
export async function getPublication(
  { publications }: Pick<Stores, "publications">,
  caller: Caller,
  publicationId: string,
): Promise<PublicationWithNames> {
  const publication = isId("publication", publicationId)
    ? await publications.find(caller.studio.id, publicationId)
    : undefined;
  if (!publication) throw notFoundError("publication");
  return publication;
}

export const tooLateError = (publication: Publication): AppError =>
  new AppError("too_late", { state: toVisibleState(publication.state) });

export type PublicationAction = Extract<ActivityAction, `publication.${string}`>;

export type PublicationActor = Partial<Pick<Caller, "user" | "client">> | Operator;

/** Activity without a user is activity of the worker. */
export const workerActor: PublicationActor = {};

/** Records a change of state, in the transaction of the change. */
export async function recordPublicationActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  actor: PublicationActor,
  action: PublicationAction,
  publication: Publication,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { id, studioId, postId, connectionId, revision } = publication;
  const studio = { id: studioId };
  await recordActivity(deps, tx, { ...actor, studio }, action, id, { postId, connectionId, revision, ...detail });
}
