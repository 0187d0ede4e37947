/**
 * A model of undo, independent of the service's history: it sees only the state before and after each operation, keeps
 * a log of changes per field, and predicts from it what an undo must change and what it must leave alone.
 */

export interface PostState {
  title: string;
  body: string;
  status: string;
  isTrashed: boolean;
  /** As JSON. */
  crops: string;
  /** Asset ids, in order. */
  assets: readonly string[];
}

export interface AssetState {
  altText: string | null;
  postId: string | null;
  /** In the trash on its own, not with a post. */
  isTrashed: boolean;
}

export interface CommentState {
  isDeleted: boolean;
  /** Whether its author deleted the comment, so that no undo may restore it. */
  isErased: boolean;
}

export interface State {
  posts: Record<string, PostState>;
  assets: Record<string, AssetState>;
  comments: Record<string, CommentState>;
  /** Revision numbers by post id. */
  revisions: Record<string, number>;
}

export interface Actor {
  userId: string;
  clientId: string | null;
  undoId: string | null;
}

export type Selection = { userId: string; clientId: string; since: number } | { undoId: string };

type Value = string | number | boolean | null | readonly string[];
type Change = Actor & { at: number; before: Value; after: Value };

/** What an undo reported. */
export interface Report {
  undone: readonly { id: string; field: string }[];
  conflicts: readonly { id: string; field: string }[];
}

/** An undo must keep a field, or revert it to its value before the last unbroken run of selected changes. */
type Expectation = { kind: "revert"; value: Value } | { kind: "keep" };

export interface UndoModel {
  /** Logs what an operation changed. */
  observe(before: State, after: State, actor: Actor, at: number): void;
  /** Returns what an undo did wrong. */
  findMistakes(before: State, after: State, selection: Selection, report: Report): string[];
}

export function createUndoModel(): UndoModel {
  const changes = new Map<string, Change[]>();
  const creations = new Map<string, Actor & { at: number }>();
  const getChanges = (id: string, field: string): Change[] => changes.get(`${id} ${field}`) ?? [];

  const isSelected = (change: Actor & { at: number }, selection: Selection): boolean =>
    "undoId" in selection
      ? change.undoId === selection.undoId
      : change.clientId === selection.clientId && change.userId === selection.userId && change.at >= selection.since;

  const getExpectation = (id: string, field: string, selection: Selection): Expectation => {
    const log = getChanges(id, field);
    if (!log.some((change) => isSelected(change, selection))) return { kind: "keep" };
    const lastByOthers = log.findLastIndex((change) => !isSelected(change, selection));
    const [firstOfRun] = log.slice(lastByOthers + 1);
    return firstOfRun ? { kind: "revert", value: firstOfRun.before } : { kind: "keep" };
  };

  /** Whether another actor changed the field after a selected change, and undo would have changed it otherwise. */
  const isConflictExpected = (id: string, field: string, currentValue: Value, selection: Selection): boolean => {
    const log = getChanges(id, field);
    const last = log.findLastIndex((change) => isSelected(change, selection));
    if (last < 0 || last === log.length - 1) return false;
    const lastByOthers = log.findLastIndex((change, i) => i < last && !isSelected(change, selection));
    return log[lastByOthers + 1]?.before !== currentValue;
  };

  const findOrderMistakes = (id: string, before: PostState, after: PostState, selection: Selection): string[] => {
    const listChanges = getChanges(id, "list");
    const first = listChanges.findIndex((change) => isSelected(change, selection));
    const hasOnlySelectedChanges =
      first >= 0 && listChanges.slice(first).every((change) => isSelected(change, selection));
    const orderExpectation = getExpectation(id, "order", selection);
    const revertedOrder = orderExpectation.kind === "revert" ? orderExpectation.value : before.assets;
    const expected = hasOnlySelectedChanges ? listChanges[first]?.before : revertedOrder;
    return Array.isArray(expected) && hasSameOrder(expected, after.assets)
      ? []
      : [`${id} order: ${after.assets.join()} instead of ${String(expected)}`];
  };

  return {
    observe(before, after, actor, at) {
      const log = (id: string, field: string, oldValue: Value, newValue: Value, isChange = oldValue !== newValue) => {
        const key = `${id} ${field}`;
        if (isChange)
          changes.set(key, [...(changes.get(key) ?? []), { ...actor, at, before: oldValue, after: newValue }]);
      };
      for (const [id, post] of Object.entries(after.posts)) {
        const oldPost = before.posts[id];
        if (!oldPost) creations.set(id, { ...actor, at });
        else {
          for (const field of ["title", "body", "status", "crops", "isTrashed"] as const)
            log(id, field, oldPost[field], post[field]);
          log(id, "revision", before.revisions[id] ?? 0, after.revisions[id] ?? 0);
          log(id, "list", oldPost.assets, post.assets, oldPost.assets.join() !== post.assets.join());
          log(id, "order", oldPost.assets, post.assets, !hasSameOrder(oldPost.assets, post.assets));
        }
      }
      for (const [id, asset] of Object.entries(after.assets)) {
        const oldAsset = before.assets[id];
        if (!oldAsset) continue;
        for (const field of ["altText", "postId", "isTrashed"] as const) log(id, field, oldAsset[field], asset[field]);
      }
      for (const [id, comment] of Object.entries(after.comments))
        // A comment that does not exist yet is like a deleted one.
        log(id, "isDeleted", before.comments[id]?.isDeleted ?? true, comment.isDeleted);
    },

    findMistakes(before, after, selection, report) {
      const mistakes: string[] = [];
      const check = (isCorrect: boolean, text: string): void => void (isCorrect || mistakes.push(text));
      const checkField = (id: string, field: string, oldValue: Value, newValue: Value, canChange: boolean) => {
        const expectation = canChange ? getExpectation(id, field, selection) : ({ kind: "keep" } as const);
        const expected = expectation.kind === "revert" ? expectation.value : oldValue;
        check(newValue === expected, `${id} ${field}: ${String(newValue)} instead of ${String(expected)}`);
      };
      const isReported = (id: string, field: string): boolean =>
        report.conflicts.some((entry) => entry.id === id && entry.field === field);
      const checkConflict = (id: string, field: string, currentValue: Value, reportedField = field): void => {
        const isExpected = isConflictExpected(id, field, currentValue, selection);
        const text = isExpected ? "expected conflict is not reported" : "reported conflict is not expected";
        check(isExpected === isReported(id, reportedField), `${id} ${field}: the ${text}`);
      };
      /** An asset that undo can't move is reported like a conflict, so there may be more of them than expected. */
      const checkAssetConflicts = (id: string, { postId, isTrashed }: AssetState): void => {
        if (isConflictExpected(id, "postId", postId, selection))
          check(isReported(id, "postId"), `${id} postId: the conflict is not reported`);
        if (isConflictExpected(id, "isTrashed", isTrashed, selection))
          check(isReported(id, "trashed"), `${id} isTrashed: the conflict is not reported`);
      };
      const checkComment = (id: string, comment: CommentState, newComment: CommentState | undefined): void => {
        if (newComment) checkField(id, "isDeleted", comment.isDeleted, newComment.isDeleted, !comment.isErased);
        else mistakes.push(`${id} is gone`);
        if (!comment.isErased)
          checkConflict(id, "isDeleted", comment.isDeleted, comment.isDeleted ? "removed" : "created");
      };
      for (const [id, post] of Object.entries(before.posts)) {
        const newPost = after.posts[id];
        if (!newPost) {
          mistakes.push(`${id} is gone`);
          continue;
        }
        const creation = creations.get(id);
        const isSelectedCreation = creation !== undefined && isSelected(creation, selection);
        // A user who saved the post without changes has edited it, too; only the revision shows that.
        const isUntouchedCreation =
          isSelectedCreation && getChanges(id, "revision").every((change) => isSelected(change, selection));
        if (isUntouchedCreation) check(newPost.isTrashed, `${id}, created by the client, is not in the trash`);
        else checkField(id, "isTrashed", post.isTrashed, newPost.isTrashed, true);
        const canChange = !isUntouchedCreation && !(post.isTrashed && newPost.isTrashed);
        for (const field of ["title", "body", "status", "crops"] as const) {
          checkField(id, field, post[field], newPost[field], canChange);
          checkConflict(id, field, post[field]);
        }
        checkConflict(id, "isTrashed", post.isTrashed, "trashed");
        if (canChange) mistakes.push(...findOrderMistakes(id, post, newPost, selection));
      }
      for (const [id, asset] of Object.entries(before.assets)) {
        const newAsset = after.assets[id];
        if (!newAsset) {
          mistakes.push(`${id} is gone`);
          continue;
        }
        const isOnTrashedPost = isPostTrashed(after, newAsset.postId);
        const wasInTrash = asset.isTrashed || isPostTrashed(before, asset.postId);
        const isStillInTrash = wasInTrash && (newAsset.isTrashed || isOnTrashedPost);
        checkField(id, "altText", asset.altText, newAsset.altText, !isStillInTrash);
        checkConflict(id, "altText", asset.altText);
        const moveExpectation = getExpectation(id, "postId", selection);
        const isTargetTrashed =
          moveExpectation.kind === "revert" && after.posts[String(moveExpectation.value)]?.isTrashed === true;
        if (moveExpectation.kind === "keep") check(newAsset.postId === asset.postId, `${id} moved`);
        else if (isReported(id, "postId") || isTargetTrashed || isOnTrashedPost)
          check([null, asset.postId, moveExpectation.value].includes(newAsset.postId), `${id} moved to a third post`);
        else
          check(
            newAsset.postId === moveExpectation.value,
            `${id} is on ${newAsset.postId} instead of ${String(moveExpectation.value)}`,
          );
        if (!isReported(id, "trashed")) checkField(id, "isTrashed", asset.isTrashed, newAsset.isTrashed, true);
        else check(newAsset.isTrashed === asset.isTrashed, `${id} trashed: changed in spite of a conflict`);
        checkAssetConflicts(id, asset);
      }
      for (const [id, comment] of Object.entries(before.comments)) checkComment(id, comment, after.comments[id]);
      return mistakes;
    },
  };
}

const isPostTrashed = ({ posts }: State, postId: string | null): boolean =>
  postId !== null && posts[postId]?.isTrashed === true;

/** Whether the ids that both lists contain have the same order in both. */
function hasSameOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.filter((id) => b.includes(id)).join() === b.filter((id) => a.includes(id)).join();
}

/** Returns the violated invariants. `usedBytes` and `assetCounts` are the values that the service stores. */
export function findInconsistencies(
  state: Pick<State, "posts" | "assets">,
  stored: { assetCounts: Record<string, number>; usedBytes: number; assetBytes: number },
): string[] {
  const problems: string[] = [];
  for (const [id, post] of Object.entries(state.posts)) {
    if (stored.assetCounts[id] !== post.assets.length)
      problems.push(`${id} counts ${stored.assetCounts[id]} of ${post.assets.length} assets`);
    for (const assetId of post.assets)
      if (state.assets[assetId]?.postId !== id) problems.push(`${assetId} is listed on ${id}, but is not there`);
  }
  for (const [id, { postId, isTrashed }] of Object.entries(state.assets)) {
    if (postId !== null && !state.posts[postId]?.assets.includes(id)) problems.push(`${id} is missing on ${postId}`);
    if (postId !== null && isTrashed) problems.push(`${id} is on a post and in the trash`);
  }
  if (stored.usedBytes !== stored.assetBytes)
    problems.push(`${stored.usedBytes} bytes used, but files have ${stored.assetBytes}`);
  return problems;
}
