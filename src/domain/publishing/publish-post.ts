import { setImmediate as nextIteration } from "node:timers/promises";
import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { isReady, toAssetView, type Asset } from "../assets/model/asset.ts";
import { getGrantId, type Caller } from "../caller.ts";
import { insertPublications } from "../changes/change-publication.ts";
import type { Deps, Tx } from "../deps.ts";
import { getAccountLabel, parseConnectionId, type PlatformConnection } from "../platforms/connection.ts";
import { applyInstanceLimits } from "../platforms/instance-limits.ts";
import { findMediaProblems } from "../platforms/media-reachability.ts";
import { findProblems } from "../platforms/validate-post.ts";
import { authorize } from "../policy.ts";
import { parsePostId, revisionConflictError, type Post } from "../posts/post.ts";
import { getCrops } from "../renditions/crop.ts";
import { inspectImages, maxCallWaitMs, type InspectDeps } from "../renditions/inspect-images.ts";
import type { ImageInspection } from "../renditions/ports.ts";
import { idempotencyKey, runOnce } from "../run-once.ts";
import { id } from "../text.ts";
import { digestContent, isEmpty, readContent } from "./content.ts";
import type { Publication } from "./ports.ts";
import { publicationView, toPublicationView } from "./publication.ts";
import { parsePublishTime, publishTime, toScheduleColumns, unscheduledColumns } from "./publish-time.ts";

export const publishPostInput = z.strictObject({
  postId: id,
  connectionIds: z.array(id).min(1).max(50).describe("Ids of connected accounts, from list_platforms."),
  at: publishTime.optional().describe("When to publish; omit to publish as soon as it is approved."),
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
      const scheduledFor = input.at === undefined ? null : parsePublishTime(input.at, deps.clock());
      const post = await tx.posts.lock(caller.studio.id, postId);
      if (!post) throw notFoundError("post");
      if (input.revision !== undefined && input.revision !== post.revision) throw revisionConflictError(post.revision);
      const assets = await tx.assets.listByPosts([postId]);
      const connections = await findConnections(tx, caller, connectionIds);
      await assertPublishable({ ...deps, ...tx }, post, assets, connections);
      const needsApproval = input.propose === true || !tx.mayPublish;
      const schedule = needsApproval
        ? { state: "proposed" as const, scheduledFor }
        : { state: "scheduled" as const, ...toScheduleColumns(scheduledFor, await tx.publications.getTime()) };
      const publications = await Promise.all(
        connections.map((connection) => buildPublication(deps, tx, caller, { post, assets, connection, schedule })),
      );
      await insertPublications(deps, tx, caller, publications);
      const newIds = publications.map(({ id: newId }) => newId);
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

/** Throws `not_publishable` with every problem that would make a platform reject the post. */
export async function assertPublishable(
  deps: Pick<Deps, "platforms" | "imageInspections">,
  post: Post,
  assets: readonly Asset[],
  connections: readonly PlatformConnection[],
): Promise<void> {
  const problems = await findPublishProblems(deps, post, assets, connections);
  if (problems.length > 0) throw new AppError("not_publishable", { problems });
}

/** The problems of each account that would reject the post. */
export async function findPublishProblems(
  { platforms, imageInspections }: Pick<Deps, "platforms" | "imageInspections">,
  post: Post,
  assets: readonly Asset[],
  connections: readonly PlatformConnection[],
): Promise<{ connectionId: string; problems: { code: string; message: string }[] }[]> {
  const readyAssets = assets.filter(isReady);
  const inspections = await imageInspections.list(readyAssets.map(({ id: assetId }) => assetId));
  const rejections: { connectionId: string; problems: { code: string; message: string }[] }[] = [];
  for (const connection of connections) {
    // Counting a long text takes milliseconds, and there may be one per account.
    if (rejections.length > 0) await nextIteration();
    const content = selectForAccount({ ...post, assets: readyAssets }, connection.id);
    const problems = [
      ...(post.status === "archived" ? [{ code: "archived", message: "An archived post can’t be published." }] : []),
      ...(isEmpty({ text: content.body, assets: content.assets })
        ? [{ code: "empty", message: describeEmptyPost(content.hasFileChoice) }]
        : []),
      ...(connection.state === "connected"
        ? []
        : [{ code: connection.state, message: `${getAccountLabel(connection.account)} must be connected again.` }]),
      ...findPlatformProblems({ platforms }, connection, post, content, inspections),
    ];
    rejections.push({ connectionId: connection.id, problems });
  }
  return rejections.filter(({ problems }) => problems.length > 0);
}

const describeEmptyPost = (hasFileChoice: boolean): string =>
  hasFileChoice ? "The post has no text, and no files for this account." : "The post has no text and no files.";

function findPlatformProblems(
  { platforms }: Pick<Deps, "platforms">,
  { platform, account, limits: instanceLimits }: PlatformConnection,
  { title, crops }: Post,
  { body, assets, hasFileChoice }: { body: string; assets: readonly Asset[]; hasFileChoice: boolean },
  inspections: ReadonlyMap<string, ImageInspection>,
): { code: string; message: string }[] {
  const platformInfo = platforms.find(platform);
  if (!platformInfo?.canPublish) {
    const name = platformInfo?.name ?? platform;
    return [
      { code: "unsupported", message: `Publishing to ${name} (${getAccountLabel(account)}) is not available yet.` },
    ];
  }
  const details = assets.map((asset) => ({
    ...toAssetView(asset),
    ...(asset.altText === null ? {} : { altText: asset.altText }),
    ...(asset.width === null ? {} : { width: asset.width }),
    ...(asset.height === null ? {} : { height: asset.height }),
    ...(asset.durationMs === null ? {} : { durationMs: asset.durationMs }),
  }));
  const limits = applyInstanceLimits(platformInfo.limits, instanceLimits);
  const post = { title, body, assets: details, inspections, crops: getCrops(crops, platform), hasFileChoice };
  return [...findMediaProblems(platformInfo, assets), ...findProblems(limits, post)]
    .filter(({ level }) => level === "rejected")
    .map(({ code, message }) => ({ code, message }));
}

interface NewPublication {
  post: Post;
  assets: readonly Asset[];
  connection: PlatformConnection;
  schedule: Pick<Publication, "state" | "scheduledFor"> & Partial<Pick<Publication, "dueAt" | "nextRunAt">>;
}

async function buildPublication(
  deps: Pick<Deps, "newId" | "clock" | "platforms">,
  tx: Tx,
  caller: Caller,
  { post, assets, connection, schedule }: NewPublication,
): Promise<Publication> {
  const platform = deps.platforms.find(connection.platform);
  if (!platform) throw new Error(`unknown platform ${connection.platform}`);
  const includesTitle = platform.limits.title !== undefined;
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
    committedAt: null,
    fence: 0,
    ...unscheduledColumns,
    ...schedule,
  };
}
