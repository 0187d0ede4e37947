import type { Deps } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";
import type { Revision, RevisionStep, StepField } from "../model/revision.ts";
import type { Post } from "../model/post.ts";
import type { Publication } from "../model/publication.ts";
import { needsPost, openStates } from "../model/publication-states.ts";
import { compareSteps, listMovedIds, planAssets, withoutChanges, type AssetsPlan } from "./plan-assets.ts";
import { planField, readMovePlans } from "./plan-field.ts";

const postFields = ["title", "body", "status", "variants", "tags", "crops"] as const;
type PostField = (typeof postFields)[number];
/** `created`: the client created the post, and it can't be moved to the trash. */
type ConflictField = PostField | "created" | "trashed";

/** What undo does with one post. Valid only for the revision it was made for. */
export interface PostPlan {
  post: Post;
  /** Whether the client created the post and no one else edited it, so that undo moves it to the trash. */
  isCreation: boolean;
  /** Whether the client created the post, but someone else has edited it since then. */
  isEditedCreation: boolean;
  change: Partial<Pick<Post, PostField>>;
  /** Whether the post moves to the trash (true) or is restored (false). */
  trash: boolean | undefined;
  assets: AssetsPlan;
  conflicts: { field: ConflictField; clientValue: unknown; currentValue: unknown }[];
}

/** Plans the undo of the selected changes of a post; undefined if the post no longer exists. */
export async function planPost(
  deps: Pick<Deps, "posts" | "publications" | "revisions" | "assets" | "assetChanges" | "clock">,
  studioId: string,
  postId: string,
  selection: ChangeSelection,
): Promise<PostPlan | undefined> {
  const post = await deps.posts.findWithTrash(studioId, postId, deps.clock());
  const steps = (await deps.revisions.listSteps(postId, selection)).filter(
    (step) => post && step.revision <= post.revision,
  );
  const [firstStep] = steps;
  if (!post || !firstStep) return undefined;
  // If the creation itself is selected, there is no revision before it.
  const isCreation = steps.every((step) => step.isSelected);
  const trashPlan = planTrash(steps, post);
  const isRestored = post.isTrashed && trashPlan?.kind === "revert" && !isCreation;
  // In the trash, a post can't be changed, but what others changed is still reported.
  const canChange = !post.isTrashed || isRestored;
  const history = await compareSteps(steps);
  const moves = await readMovePlans(deps, studioId, listMovedIds(steps, history), selection);
  const assets = await planAssets(postId, steps, history, moves);
  const isMovedToTrash = !post.isTrashed && (isCreation || trashPlan?.kind === "revert");
  const plan: PostPlan = {
    post,
    isCreation,
    isEditedCreation: firstStep.isSelected && !isCreation && canChange,
    change: {},
    trash: isRestored ? false : isMovedToTrash || undefined,
    assets: canChange ? assets : withoutChanges(assets),
    conflicts: [],
  };
  if (trashPlan?.kind === "conflict")
    plan.conflicts.push({ field: "trashed", clientValue: trashPlan.clientValue, currentValue: post.isTrashed });
  // The trash keeps a created post as the client left it.
  if (!isCreation) await planFields(deps, steps, plan, canChange);
  const isRemoved = plan.trash === true || plan.change.status === "archived";
  return isRemoved && (await isPostInUse(deps, postId, selection)) ? keepPost(plan) : plan;
}

/** Adds to the plan what undo does with the post's own fields. */
async function planFields(
  deps: Pick<Deps, "revisions">,
  steps: readonly RevisionStep[],
  { post, change, conflicts }: PostPlan,
  canChange: boolean,
): Promise<void> {
  for (const field of postFields) {
    const fieldPlan = planField(steps, isChangeOf(field, steps));
    if (!fieldPlan) continue;
    const target = await readValue(deps, post.id, steps[fieldPlan.first - 1], field);
    if (target === undefined || JSON.stringify(target) === JSON.stringify(post[field])) continue;
    if (fieldPlan.kind === "conflict") {
      const clientValue = await readValue(deps, post.id, steps[fieldPlan.last], field);
      conflicts.push({ field, clientValue, currentValue: post[field] });
    } else if (canChange) Object.assign(change, { [field]: target });
  }
}

/** Whether someone else's publication needs the post. Those that the client requested are canceled by the undo. */
async function isPostInUse(
  { publications }: Pick<Deps, "publications">,
  postId: string,
  selection: ChangeSelection,
): Promise<boolean> {
  const isCanceled = ({ requestedBy, requestedClientId, createdAt, state }: Publication): boolean =>
    "clientId" in selection &&
    requestedBy === selection.userId &&
    requestedClientId === selection.clientId &&
    createdAt >= selection.since &&
    state === "scheduled";
  const openPublications = await publications.listByPost(postId, openStates);
  return openPublications.some((publication) => needsPost(publication) && !isCanceled(publication));
}

/** A post in use is neither archived nor moved to the trash. */
function keepPost({ change: { status, ...change }, ...plan }: PostPlan): PostPlan {
  const isArchived = status === "archived";
  return {
    ...plan,
    change: { ...change, ...(status === undefined || isArchived ? {} : { status }) },
    trash: undefined,
    assets: plan.isCreation ? withoutChanges(plan.assets) : plan.assets,
    conflicts: [
      ...plan.conflicts,
      ...(isArchived
        ? [{ field: "status" as const, clientValue: plan.post.status, currentValue: plan.post.status }]
        : []),
      ...(plan.trash === true
        ? [
            {
              field: plan.isCreation ? ("created" as const) : ("trashed" as const),
              clientValue: plan.isCreation,
              currentValue: plan.isCreation,
            },
          ]
        : []),
    ],
  };
}

/** The first step never counts as a change, because there is no earlier step to compare it with. */
const isChangeOf =
  (field: StepField, steps: readonly RevisionStep[]) =>
  (index: number): boolean =>
    index > 0 && steps[index]?.changed.includes(field) === true;

/**
 * Every change of `trashed` toggles the value, so an earlier value follows from the number of later changes. Returns
 * undefined if the post already has the value from before the changes.
 */
function planTrash(
  steps: readonly RevisionStep[],
  { isTrashed }: Post,
): { kind: "revert" | "conflict"; clientValue: boolean } | undefined {
  const isChange = isChangeOf("trashed", steps);
  const fieldPlan = planField(steps, isChange);
  if (!fieldPlan) return undefined;
  const getValueAfter = (index: number): boolean => {
    const laterChanges = steps.filter((_, i) => i > index && isChange(i));
    return laterChanges.length % 2 === 0 ? isTrashed : !isTrashed;
  };
  if (getValueAfter(fieldPlan.first - 1) === isTrashed) return undefined;
  return { kind: fieldPlan.kind, clientValue: getValueAfter(fieldPlan.last) };
}

async function readValue<F extends PostField>(
  { revisions }: Pick<Deps, "revisions">,
  postId: string,
  step: RevisionStep | undefined,
  field: F,
): Promise<Revision[F] | undefined> {
  return step && (await revisions.find(postId, step.revision))?.[field];
}
