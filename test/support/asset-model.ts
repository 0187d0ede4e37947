import type { ErrorCode } from "#lib/errors.ts";

/** What a studio's assets do, one operation after another: a few lines that the whole service is held against. */

/** Assets and posts by their number in the test. */
export type Operation =
  | { kind: "attach"; asset: number; post: number }
  | { kind: "detach"; asset: number; post: number }
  | { kind: "delete"; asset: number }
  | { kind: "get asset"; asset: number }
  | { kind: "reorder"; post: number; order: readonly number[] }
  | { kind: "get post"; post: number };

export type AssetState = "deleted" | "pending" | "unattached" | number;

export interface State {
  readonly assets: readonly AssetState[];
  readonly posts: readonly (readonly number[])[];
}

/** The answer, as a word: `ok`, an error's code, or what was seen. */
type ObservedOutcome = ErrorCode | "ok" | `saw ${string}`;

export interface RecordedOperation {
  operation: Operation;
  outcome: ObservedOutcome;
  /** When it was asked for and when it was answered, by a count that all workers share. */
  startedAt: number;
  endedAt: number;
}

export const describeAssetState = (assetState: AssetState): ObservedOutcome => `saw ${assetState}`;
export const describeOrder = (order: readonly number[]): ObservedOutcome => `saw ${order.join(",")}`;

/** One operation: what must be answered, and what is then. */
function applyOperation(
  state: State,
  operation: Operation,
  perPost: number,
): { outcome: ObservedOutcome; next: State } {
  const { assets, posts } = state;
  const unchanged = (outcome: ObservedOutcome) => ({ outcome, next: state });
  if (operation.kind === "get post") return unchanged(describeOrder(posts[operation.post] ?? []));
  if (operation.kind === "reorder") {
    const now = posts[operation.post] ?? [];
    const same = operation.order.length === now.length && now.every((asset) => operation.order.includes(asset));
    return same
      ? { outcome: "ok", next: { assets, posts: posts.with(operation.post, operation.order) } }
      : unchanged("invalid_input");
  }
  const { asset } = operation;
  const assetState = assets[asset] ?? "deleted";
  if (assetState === "deleted") return unchanged("not_found");
  const move = (to: AssetState): State => ({
    assets: assets.with(asset, to),
    posts: posts.map((order, post) => [...order.filter((one) => one !== asset), ...(post === to ? [asset] : [])]),
  });
  if (operation.kind === "get asset") return unchanged(describeAssetState(assetState));
  if (operation.kind === "delete")
    return typeof assetState === "number" ? unchanged("asset_in_use") : { outcome: "ok", next: move("deleted") };
  if (operation.kind === "detach")
    return assetState === operation.post ? { outcome: "ok", next: move("unattached") } : unchanged("not_attached");
  if (assetState === operation.post) return unchanged("ok");
  if (typeof assetState === "number") return unchanged("already_attached");
  return (posts[operation.post] ?? []).length >= perPost
    ? unchanged("asset_limit_reached")
    : { outcome: "ok", next: move(operation.post) };
}

/**
 * Whether some order of these deeds, in which none comes before one that had ended when it began, gives every answer
 * that was given and leads from `before` to `after`: linearizability (Herlihy and Wing), by a search that tries no
 * state twice.
 */
export function isLinearizable(
  operations: readonly RecordedOperation[],
  before: State,
  after: State,
  perPost: number,
): boolean {
  const expectedState = JSON.stringify(after);
  const visited = new Set<string>();
  const search = (remaining: readonly RecordedOperation[], state: State): boolean => {
    if (remaining.length === 0) return JSON.stringify(state) === expectedState;
    const key = `${remaining.map(({ startedAt: from }) => from).join()} ${JSON.stringify(state)}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const firstEnd = Math.min(...remaining.map(({ endedAt: to }) => to));
    return remaining.some((operation) => {
      if (operation.startedAt > firstEnd) return false;
      const { outcome, next } = applyOperation(state, operation.operation, perPost);
      return (
        outcome === operation.outcome &&
        search(
          remaining.filter((other) => other !== operation),
          next,
        )
      );
    });
  };
  return search(operations, before);
}
