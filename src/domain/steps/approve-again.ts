import { z } from "zod";
import { type Caller, scopes } from "../caller.ts";
import { tryChangePublication } from "../changes/change-publication.ts";
import { readContent } from "../changes/read-content.ts";
import type { Asset } from "../model/asset.ts";
import type { Post } from "../model/post.ts";
import { digestContent } from "../model/publication-content.ts";
import type { Publication } from "../model/publication.ts";
import { toScheduleColumns } from "../model/publish-time.ts";
import { id } from "../model/text.ts";
import { may, mayPublishWithoutApproval } from "../policy.ts";
import type { Deps, Stores, Tx } from "../ports/deps.ts";
import { describeStep } from "./describe-step.ts";
import { findPublishProblems } from "./find-publish-problems.ts";
import { createPause } from "./pause.ts";

/** For the web app only: the ids of publications to approve again after their post was reverted. */
export const approveInput = z.array(id).max(1000).optional();

type ApprovalDeps = Pick<
  Deps,
  "publications" | "memberships" | "platforms" | "platformStore" | "imageInspections" | "reviews"
>;

/** How many characters are digested in one iteration of the event loop: a few milliseconds. */
const charactersPerIteration = 1_000_000;

/** About how many characters describe an asset in the digested content. */
const charactersPerAsset = 500;

/** A post and its assets, as they are or as they would be. */
export interface PostContent {
  post: Post;
  assets: readonly Asset[];
}

/** The proposed publications of a post whose approval was voided by an edit. */
export async function listVoidedApprovals(
  { publications }: Pick<Stores, "publications">,
  postId: string,
): Promise<Publication[]> {
  return (await publications.listByPost(postId, ["proposed"])).filter(({ voidedDigest }) => voidedDigest !== null);
}

/**
 * Selects the publications that the caller can approve again: they would send exactly what was approved, at a time in
 * the future, to an account that accepts it. None if the caller is an AI client or may not publish now, or while a review
 * holds the post.
 */
export async function selectApprovable(
  deps: ApprovalDeps,
  caller: Caller,
  publications: readonly Publication[],
  content: PostContent,
): Promise<Publication[]> {
  if (publications.length === 0 || !(await mayApprove(deps, caller))) return [];
  if (await deps.reviews.isHeld(content.post.id)) return [];
  const now = await deps.publications.getTime();
  const pause = createPause(charactersPerIteration);
  const approvablePublications: Publication[] = [];
  for (const publication of publications) {
    const isInFuture = publication.scheduledFor !== null && publication.scheduledFor > now;
    if (isInFuture && (await sendsApprovedContent(deps, publication, content, pause)))
      approvablePublications.push(publication);
  }
  return approvablePublications;
}

async function mayApprove({ memberships }: ApprovalDeps, { client, studio, user }: Caller): Promise<boolean> {
  const member = client ? undefined : await memberships.findEnabled(studio.id, user.id);
  if (!member || !may(member.role, "publications.approve")) return false;
  return mayPublishWithoutApproval({ role: member.role, scopes }, member.approval);
}

async function sendsApprovedContent(
  deps: ApprovalDeps,
  publication: Publication,
  { post, assets }: PostContent,
  pause: (characters: number) => Promise<void>,
): Promise<boolean> {
  const content = await readContent(deps, publication, post, assets);
  await pause(content.text.length + charactersPerAsset * content.assets.length);
  if (digestContent(content) !== publication.voidedDigest) return false;
  const connection = await deps.platformStore.find(publication.studioId, publication.connectionId);
  return connection !== undefined && (await findPublishProblems(deps, post, assets, [connection])).length === 0;
}

/**
 * Approves publications again in the caller's name, those that `selectApprovable` selects. The transaction must have
 * locked the post's row. Returns the ids of the approved publications.
 */
export async function approveAgain(
  deps: Pick<Deps, "platforms" | "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  publications: readonly Publication[],
  post: Post,
): Promise<string[]> {
  const approvedIds: string[] = [];
  const content = { post, assets: await tx.assets.listByPosts([post.id]) };
  for (const publication of await selectApprovable({ ...deps, ...tx }, caller, publications, content)) {
    const { scheduledFor, voidedDigest } = publication;
    if (scheduledFor === null || voidedDigest === null) continue;
    const change = {
      ...toScheduleColumns(scheduledFor, scheduledFor),
      revision: post.revision,
      digest: voidedDigest,
      approvedBy: caller.user.id,
      approvedRevision: post.revision,
      approvedTime: scheduledFor,
    };
    const approvedPublication = await tryChangePublication(deps, tx, caller, publication, {
      event: "approve",
      change,
      condition: { voidedDigest, scheduledFor },
      action: "publication.approved",
      detail: describeStep(publication, "approve", change),
    });
    if (approvedPublication) approvedIds.push(publication.id);
  }
  return approvedIds;
}
