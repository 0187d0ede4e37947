import { AppError } from "#lib/errors.ts";
import type { Asset } from "../model/asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";
import { approveAgain, listVoidedApprovals, type PostContent, selectApprovable } from "../steps/approve-again.ts";
import { type Publication, toWebPublicationView, type WebPublicationView } from "../model/publication.ts";
import { planPost } from "./plan-post.ts";
import type { UndoReport } from "./report.ts";
import { planAsset, readAssetHistory } from "./undo-asset.ts";
import type { UndoDeps } from "./undo-post.ts";

/** The publications that the undone changes had returned for approval, for the web app. */
export interface RevertedApprovals {
  /** In a dry run: those that the undo can approve again, if the request names them. */
  approvable: WebPublicationView[];
  approved: WebPublicationView[];
  /** Those that wait for approval after the undo, or in a dry run would wait for it. */
  waiting: WebPublicationView[];
}

/** How many publications one statement reads. */
const batchSize = 100;

export const noRevertedApprovals: RevertedApprovals = { approvable: [], approved: [], waiting: [] };

export type ApprovalDeps = UndoDeps &
  Pick<Deps, "memberships" | "platforms" | "platformStore" | "imageInspections" | "reviews">;

/** Reports which publications an undo could approve again. `report` is the report of its dry run. */
export async function predictApprovals(
  deps: ApprovalDeps,
  caller: Caller,
  selection: ChangeSelection,
  postIds: readonly string[],
  report: UndoReport,
): Promise<RevertedApprovals> {
  const canceledIds = new Set(report.publications.filter(({ state }) => state === "canceled").map(({ id }) => id));
  const movedIds = new Set(report.undone.filter(({ field }) => field === "postId").map(({ id }) => id));
  const approvableIds: string[] = [];
  const waitingIds: string[] = [];
  for (const postId of await listCandidates(deps, caller, postIds)) {
    const content = await predictContent(deps, caller.studio.id, postId, selection, movedIds);
    if (!content) continue; // the undo cancels its publications
    const returnedPublications = await listReturned(deps, postId, selection);
    const openPublications = returnedPublications.filter(({ id }) => !canceledIds.has(id));
    const approvablePublications = new Set(await selectApprovable(deps, caller, openPublications, content));
    for (const publication of openPublications)
      (approvablePublications.has(publication) ? approvableIds : waitingIds).push(publication.id);
  }
  return {
    approvable: await readViews(deps, caller, approvableIds),
    approved: [],
    waiting: await readViews(deps, caller, waitingIds),
  };
}

/** Throws `review_pending` if a review holds one of the publications that an undo should approve again. */
export async function assertNotHeld(
  { publications, reviews }: Pick<Deps, "publications" | "reviews">,
  { studio }: Caller,
  approve: readonly string[],
): Promise<void> {
  const postIds = new Set((await publications.listByIds(studio.id, approve)).map(({ postId }) => postId));
  for (const postId of postIds) if (await reviews.isHeld(postId)) throw new AppError("review_pending");
}

/** Approves the named publications again after an undo, each post in its own transaction. */
export async function approveReverted(
  deps: ApprovalDeps,
  caller: Caller,
  selection: ChangeSelection,
  postIds: readonly string[],
  approve: readonly string[],
): Promise<RevertedApprovals> {
  const namedIds = new Set(approve);
  const approvedIds: string[] = [];
  const returnedIds: string[] = [];
  for (const postId of await listCandidates(deps, caller, postIds)) {
    const returnedPublications = await listReturned(deps, postId, selection);
    returnedIds.push(...returnedPublications.map(({ id }) => id));
    if (!returnedPublications.some(({ id }) => namedIds.has(id))) continue;
    const newIds = await deps.transact(caller, async (tx) => {
      const post = await tx.posts.lock(caller.studio.id, postId);
      if (!post) return [];
      const publications = await listReturned(tx, postId, selection);
      const namedPublications = publications.filter(({ id }) => namedIds.has(id));
      return approveAgain(deps, tx, caller, namedPublications, post);
    });
    approvedIds.push(...newIds);
  }
  const waiting = await readViews(deps, caller, returnedIds);
  return {
    approvable: [],
    approved: await readViews(deps, caller, approvedIds),
    waiting: waiting.filter(({ state }) => state === "proposed"),
  };
}

/** The posts, of those with selected changes, that have publications whose approval was voided. */
async function listCandidates(
  { publications }: Pick<Stores, "publications">,
  { studio }: Caller,
  postIds: readonly string[],
): Promise<Set<string>> {
  const selectedIds = new Set(postIds);
  const candidates = new Set<string>();
  let after: string | undefined = "";
  while (after !== undefined) {
    const page: Publication[] = await publications.listVoided(studio.id, after, batchSize);
    for (const { postId } of page) if (selectedIds.has(postId)) candidates.add(postId);
    after = page.length < batchSize ? undefined : page.at(-1)?.id;
  }
  return candidates;
}

/** The publications that a selected change returned for approval: the first change after the approved revision. */
async function listReturned(
  stores: Pick<Stores, "publications" | "revisions">,
  postId: string,
  selection: ChangeSelection,
): Promise<Publication[]> {
  const steps = await stores.revisions.listSteps(postId, selection);
  const publications = await listVoidedApprovals(stores, postId);
  const approvedRevisions = publications.map(getApprovedRevision).toSorted((a, b) => b - a);
  const isNextSelected = new Map<number, boolean>();
  for (const { revision, isSelected } of steps)
    while ((approvedRevisions.at(-1) ?? revision) < revision)
      isNextSelected.set(approvedRevisions.pop() ?? 0, isSelected);
  return publications.filter((publication) => isNextSelected.get(getApprovedRevision(publication)) === true);
}

const getApprovedRevision = ({ approvedRevision }: Publication): number => approvedRevision ?? 0;

/**
 * Returns a post as undo would leave it; undefined if it would be archived or in the trash. `movedIds` are the assets that
 * undo attaches or detaches.
 */
async function predictContent(
  deps: UndoDeps,
  studioId: string,
  postId: string,
  selection: ChangeSelection,
  movedIds: ReadonlySet<string>,
): Promise<PostContent | undefined> {
  const plan = await planPost(deps, studioId, postId, selection);
  if (!plan || plan.trash === true) return undefined;
  const post = { ...plan.post, ...plan.change };
  if (post.status === "archived" || (post.isTrashed && plan.trash !== false)) return undefined;
  const { currentIds, attachIds, assetIds = currentIds } = plan.assets;
  const attachedIds = new Set(attachIds);
  const assets: Asset[] = [];
  for (const assetId of assetIds) {
    const history = await readAssetHistory(deps, studioId, assetId, selection);
    if (!history || (attachedIds.has(assetId) && !movedIds.has(assetId))) continue;
    const asset = { ...history.asset, postId, trashExpiresAt: null };
    assets.push({ ...asset, ...planAsset(asset, history.steps).change });
  }
  return { post, assets };
}

async function readViews(
  { publications }: Pick<Stores, "publications">,
  { studio }: Caller,
  ids: readonly string[],
): Promise<WebPublicationView[]> {
  const views: WebPublicationView[] = [];
  for (let i = 0; i < ids.length; i += batchSize)
    views.push(...(await publications.listByIds(studio.id, ids.slice(i, i + batchSize))).map(toWebPublicationView));
  return views;
}
