import type { Deps } from "../deps.ts";
import type { ChangeSelection, Revision, RevisionField, RevisionStep } from "../history/ports.ts";
import type { Post } from "../posts/post.ts";
import type { Publication } from "../publishing/ports.ts";
import { isInUse } from "../publishing/revise-publications.ts";
import { openStates } from "../publishing/states.ts";
import { listMovedIds, planAssets, type AssetsPlan } from "./plan-assets.ts";
import { planField, type FieldPlan } from "./plan-field.ts";
import { readMovePlans } from "./plan-move.ts";

type TextField = "title" | "body" | "status" | "variants" | "tags";
/** `created` and `trashed`: the post can't move to the trash. */
type ConflictField = TextField | "created" | "trashed";

/** What undo does with one post. Valid only for the revision it was made for. */
export interface PostPlan {
  post: Post;
  /** Whether the client created the post and no one else edited it, so that undo moves it to the trash. */
  isCreation: boolean;
  /** Whether the client created the post, but someone else edited it since. */
  isEditedCreation: boolean;
  change: Partial<Pick<Post, TextField>>;
  /** Whether the post moves to the trash (true) or is restored (false). */
  trash: boolean | undefined;
  assets: AssetsPlan | undefined;
  conflicts: { field: ConflictField; clientValue: unknown; currentValue: unknown }[];
}

/** Plans the undo of the selected changes of a post; undefined if there is nothing to do or report. */
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
  const plan: PostPlan = {
    post,
    isCreation: false,
    isEditedCreation: false,
    change: {},
    trash: planTrash(steps, post),
    assets: undefined,
    conflicts: [],
  };
  // If the creation itself is selected, there is no revision before it.
  plan.isCreation = firstStep.isSelected && steps.every((step) => step.isSelected);
  plan.isEditedCreation = firstStep.isSelected && !plan.isCreation;
  if (post.isTrashed && (plan.trash !== false || plan.isCreation)) return undefined;
  const movedIds = plan.isCreation ? (steps.at(-1)?.assetIds ?? []) : listMovedIds(steps);
  plan.assets = planAssets(postId, steps, await readMovePlans(deps, studioId, movedIds, selection));
  if (plan.isCreation) plan.trash = true;
  if (plan.isCreation) return (await isPostInUse(deps, postId, selection)) ? keepPost(plan) : plan;
  for (const field of ["title", "body", "status", "variants", "tags"] as const) {
    const fieldPlan = planField(toFieldSteps(steps, field));
    if (!fieldPlan) continue;
    const target = await readValue(deps, postId, steps[fieldPlan.first - 1], field);
    if (target === undefined || JSON.stringify(target) === JSON.stringify(post[field])) continue;
    if (fieldPlan.kind === "revert") Object.assign(plan.change, { [field]: target });
    else {
      const clientValue = await readValue(deps, postId, steps[fieldPlan.last], field);
      plan.conflicts.push({ field, clientValue, currentValue: post[field] });
    }
  }
  const isEnded = plan.trash === true || plan.change.status === "archived";
  return isEnded && (await isPostInUse(deps, postId, selection)) ? keepPost(plan) : plan;
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
  return openPublications.some((publication) => isInUse(publication) && !isCanceled(publication));
}

/** A post in use is neither archived nor moved to the trash. */
function keepPost({ change: { status, ...change }, ...plan }: PostPlan): PostPlan {
  const isArchived = status === "archived";
  return {
    ...plan,
    change: { ...change, ...(status === undefined || isArchived ? {} : { status }) },
    trash: undefined,
    assets: plan.isCreation ? undefined : plan.assets,
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
function toFieldSteps(steps: readonly RevisionStep[], field: RevisionField) {
  return steps.map((step, i) => ({ isSelected: step.isSelected, isChange: i > 0 && step.changed.includes(field) }));
}

/** Every change of `trashed` toggles the value, so the value before the changes follows from their number. */
function planTrash(steps: readonly RevisionStep[], { isTrashed }: Post): boolean | undefined {
  const fieldSteps = toFieldSteps(steps, "trashed");
  const fieldPlan: FieldPlan = planField(fieldSteps);
  if (fieldPlan?.kind !== "revert") return undefined;
  const changes = fieldSteps.slice(fieldPlan.first).filter((step) => step.isChange).length;
  return changes % 2 === 0 ? undefined : !isTrashed;
}

async function readValue<F extends TextField>(
  { revisions }: Pick<Deps, "revisions">,
  postId: string,
  step: RevisionStep | undefined,
  field: F,
): Promise<Revision[F] | undefined> {
  return step && (await revisions.find(postId, step.revision))?.[field];
}
