import type { ErrorCode } from "#lib/errors.ts";

/** A sequential model of a studio's assets, which tests compare with the service. */

/** Identifies assets and posts by their index in the test. */
export type Operation =
  | { kind: "attach"; asset: number; post: number }
  | { kind: "detach"; asset: number; post: number }
  | { kind: "delete"; asset: number }
  | { kind: "get asset"; asset: number }
  | { kind: "reorder"; post: number; order: readonly number[] }
  | { kind: "get post"; post: number };

/** A number is the index of the post that the asset is on. */
export type AssetState = "deleted" | "pending" | "unattached" | number;

export interface State {
  readonly assets: readonly AssetState[];
  readonly posts: readonly (readonly number[])[];
}

/** `ok`, an error code, or the state that the operation returned. */
type ObservedOutcome = ErrorCode | "ok" | `saw ${string}`;

export interface RecordedOperation {
  operation: Operation;
  outcome: ObservedOutcome;
  /** When it was called and when it returned, by a counter that all workers share. */
  startedAt: number;
  endedAt: number;
}

export const describeAssetState = (assetState: AssetState): ObservedOutcome => `saw ${assetState}`;
export const describeOrder = (order: readonly number[]): ObservedOutcome => `saw ${order.join(",")}`;

/** Returns the expected outcome of an operation and the state after it. */
function applyOperation(
  state: State,
  operation: Operation,
  maxPerPost: number,
): { outcome: ObservedOutcome; next: State } {
  const { assets, posts } = state;
  const unchanged = (outcome: ObservedOutcome) => ({ outcome, next: state });
  if (operation.kind === "get post") return unchanged(describeOrder(posts[operation.post] ?? []));
  if (operation.kind === "reorder") {
    const current = posts[operation.post] ?? [];
    const hasSameAssets =
      operation.order.length === current.length && current.every((asset) => operation.order.includes(asset));
    return hasSameAssets
      ? { outcome: "ok", next: { assets, posts: posts.with(operation.post, operation.order) } }
      : unchanged("invalid_input");
  }
  const { asset } = operation;
  const assetState = assets[asset] ?? "deleted";
  if (assetState === "deleted") return unchanged("not_found");
  const move = (to: AssetState): State => ({
    assets: assets.with(asset, to),
    posts: posts.map((order, post) => [...order.filter((other) => other !== asset), ...(post === to ? [asset] : [])]),
  });
  if (operation.kind === "get asset") return unchanged(describeAssetState(assetState));
  if (operation.kind === "delete")
    return typeof assetState === "number" ? unchanged("asset_in_use") : { outcome: "ok", next: move("deleted") };
  if (operation.kind === "detach")
    return assetState === operation.post ? { outcome: "ok", next: move("unattached") } : unchanged("not_attached");
  if (assetState === operation.post) return unchanged("ok");
  if (typeof assetState === "number") return unchanged("already_attached");
  return (posts[operation.post] ?? []).length >= maxPerPost
    ? unchanged("asset_limit_reached")
    : { outcome: "ok", next: move(operation.post) };
}

/**
 * Linearizability (Herlihy and Wing): whether some order of the operations that respects real time explains every
 * recorded outcome and leads from `before` to `after`. Searches all orders, visiting each state once.
 */
export function isLinearizable(
  operations: readonly RecordedOperation[],
  before: State,
  after: State,
  maxPerPost: number,
): boolean {
  const expectedState = JSON.stringify(after);
  const visited = new Set<string>();
  const search = (remaining: readonly RecordedOperation[], state: State): boolean => {
    if (remaining.length === 0) return JSON.stringify(state) === expectedState;
    const key = `${remaining.map(({ startedAt }) => startedAt).join()} ${JSON.stringify(state)}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const firstEnd = Math.min(...remaining.map(({ endedAt }) => endedAt));
    return remaining.some((candidate) => {
      if (candidate.startedAt > firstEnd) return false;
      // A call that waits too long for the database fails without changing anything.
      const isUnavailable = candidate.outcome === "storage_unavailable";
      const { outcome, next } = isUnavailable
        ? { outcome: candidate.outcome, next: state }
        : applyOperation(state, candidate.operation, maxPerPost);
      return (
        outcome === candidate.outcome &&
        search(
          remaining.filter((other) => other !== candidate),
          next,
        )
      );
    });
  };
  return search(operations, before);
}
