import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { type Caller, getGrantId } from "../caller.ts";
import { insertPublications, type NewPublication } from "../changes/change-publication.ts";
import { readContent } from "../changes/read-content.ts";
import type { Asset } from "../model/asset.ts";
import { parseConnectionId, type PlatformConnection } from "../model/connection.ts";
import { parsePostId, type Post, revisionConflictError } from "../model/post.ts";
import { hasTitle } from "../model/platform-limits.ts";
import { digestContent } from "../model/publication-content.ts";
import { type Publication, publicationView, type PublicationView, toPublicationView } from "../model/publication.ts";
import { parsePublishTime, publishTime, toScheduleColumns, unscheduledColumns } from "../model/publish-time.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { assertPublishable } from "../steps/find-publish-problems.ts";
import { type InspectDeps, inspectImages, maxCallWaitMs } from "../steps/renditions.ts";
import { idempotencyKey, runOnce } from "../steps/run-once.ts";
import { cancelPublication, lockPost } from "./change-publication.ts";
import { listFreeSlots } from "./slots.ts";

const nextSlot = "next_slot";

export const publishPostInput = z.strictObject({
  postId: id,
  connectionIds: z.array(id).min(1).max(50).describe("Ids of connected accounts, from list_platforms."),
  at: z
    .union([publishTime, z.literal(nextSlot)], { error: "next_slot, or ISO 8601 with offset" })
    .optional()
    .describe("When to publish: next_slot (each account's next free slot) or a time. Omit: as soon as approved."),
  propose: z.boolean().optional().describe("Ask a person to approve it, even if you may publish."),
  idempotencyKey,
});

/** `revision` is what the person saw. A client without `studio:publish` can edit the post until they publish it. */
export const publishPostWebInput = publishPostInput.extend({ revision: z.int32().min(1).optional() });

export const publishPostOutput = z.object({ publications: z.array(publicationView) });

type PublishDeps = Pick<Deps, "transact" | "newId" | "clock" | "platforms" | "wakeWorker" | "assets"> & InspectDeps;

/** Requests a publication for each account, all or none. The publications start when due, or wait for an approval. */
export async function publishPost(
  deps: PublishDeps,
  caller: Caller,
  input: z.infer<typeof publishPostWebInput>,
): Promise<z.infer<typeof publishPostOutput>> {
  authorize(caller, "publications.request");
  const { idempotencyKey: key, ...fields } = input;
  const postId = parsePostId(input.postId);
  const connectionIds = [...new Set(input.connectionIds)].map(parseConnectionId);
  const postAssets = await deps.assets.listByPosts([postId]);
  const ownAssets = postAssets.filter(({ studioId }) => studioId === caller.studio.id);
  // The worker opens the remaining images before it sends any.
  await inspectImages(deps, ownAssets, maxCallWaitMs);
  const result = await deps.transact(caller, (tx) =>
    runOnce(deps, tx, caller, { verb: "publish_post", key, input: fields }, async () => {
      // Checked only in the first call: a repeated call returns the first result, even after the time has passed.
      const usesSlots = input.at === nextSlot;
      const scheduledFor = input.at === undefined || usesSlots ? null : parsePublishTime(input.at, deps.clock());
      const { post, assets } = await lockPost(tx, { studioId: caller.studio.id, postId });
      if (input.revision !== undefined && input.revision !== post.revision) throw revisionConflictError(post.revision);
      const connections = await findConnections(tx, caller, connectionIds);
      const needsApproval = input.propose === true || !tx.mayPublish;
      await assertPublishable({ ...deps, ...tx }, post, assets, connections, {
        isProposal: needsApproval && caller.client !== undefined,
      });
      const schedule = needsApproval
        ? { state: "proposed" as const, scheduledFor }
        : { state: "scheduled" as const, ...toScheduleColumns(scheduledFor, await tx.publications.getTime()) };
      const publications: NewPublication[] = [];
      for (const connection of connections)
        publications.push({
          publication: await buildPublication(deps, tx, caller, { post, assets, connection, schedule }),
          slots: usesSlots ? await listFreeSlots(deps, tx, connection) : undefined,
        });
      await insertPublications(deps, tx, caller, postId, publications);
      const newIds = publications.map(({ publication }) => publication.id);
      return { publications: (await tx.publications.listByIds(caller.studio.id, newIds)).map(toPublicationView) };
    }),
  );
  deps.wakeWorker();
  return result;
}

async function findConnections(
  tx: Tx,
  caller: Caller,
  connectionIds: readonly string[],
): Promise<PlatformConnection[]> {
  const connections: PlatformConnection[] = [];
  for (const connectionId of connectionIds) {
    const connection = await tx.platformStore.find(caller.studio.id, connectionId);
    if (!connection) throw notFoundError("platform_connection");
    connections.push(connection);
  }
  return connections;
}

interface PublicationParts {
  post: Post;
  assets: readonly Asset[];
  connection: PlatformConnection;
  schedule: Pick<Publication, "state" | "scheduledFor"> & Partial<Pick<Publication, "dueAt" | "nextRunAt">>;
}

async function buildPublication(
  deps: Pick<Deps, "newId" | "clock" | "platforms">,
  tx: Tx,
  caller: Caller,
  { post, assets, connection, schedule }: PublicationParts,
): Promise<Publication> {
  const platform = deps.platforms.find(connection.platform);
  if (!platform) throw new Error(`unknown platform ${connection.platform}`);
  const includesTitle = hasTitle(platform.limits);
  const target = { studioId: caller.studio.id, connectionId: connection.id, includesTitle };
  return {
    id: deps.newId("publication"),
    studioId: caller.studio.id,
    postId: post.id,
    connectionId: connection.id,
    revision: post.revision,
    approvedRevision: schedule.state === "scheduled" ? post.revision : null,
    approvedTime: schedule.state === "scheduled" ? schedule.scheduledFor : null,
    includesTitle,
    digest: digestContent(await readContent(tx, target, post, assets)),
    requestedBy: caller.user.id,
    requestedGrantId: getGrantId(caller),
    requestedClientId: caller.client?.id ?? null,
    requestedClientName: caller.client?.name ?? null,
    approvedBy: null,
    voidedDigest: null,
    createdAt: deps.clock(),
    publishedAt: null,
    url: null,
    remoteId: null,
    problem: null,
    content: null,
    progress: null,
    commitKey: null,
    publicParts: 0,
    committedAt: null,
    fence: 0,
    ...unscheduledColumns,
    ...schedule,
  };
}

type Output = z.infer<typeof publishPostOutput>;

/** The current state of the publications that a call of `publishPost` requested. */
export async function getPublishProgress(
  { publications, clock }: Pick<Deps, "publications" | "clock">,
  caller: Caller,
  requestedOutput: Output,
): Promise<{ output: Output; hasEnded: boolean }> {
  authorize(caller, "publications.request");
  const ids = requestedOutput.publications.map((publication) => publication.id);
  // A publication that is not found was deleted with its post.
  const views = (await publications.listByIds(caller.studio.id, ids)).map(toPublicationView);
  return { output: { publications: views }, hasEnded: views.every((view) => isSettled(view, clock())) };
}

/** Whether no worker will change the publication soon: it is proposed, scheduled for later, final, or needs a user. */
function isSettled({ state, scheduledFor }: PublicationView, now: number): boolean {
  if (state === "scheduled") return scheduledFor !== null && Date.parse(scheduledFor) > now;
  return state !== "publishing";
}

/** Cancels the publications that have not started. */
export async function cancelRequestedPublications(
  deps: Parameters<typeof cancelPublication>[0],
  caller: Caller,
  { publications }: Output,
): Promise<void> {
  for (const { id: publicationId } of publications)
    await cancelPublication(deps, caller, { publicationId }).catch((error: unknown) => {
      if (!(error instanceof AppError) || (error.code !== "too_late" && error.code !== "not_found")) throw error;
    });
}
