import type { ErrorCode } from "#lib/errors.ts";

/** What a studio's assets do, one change after another: a few lines that the whole service is held against. */

/** Assets and posts by their number in the test. */
export type Operation =
  | { do: "attach"; asset: number; post: number }
  | { do: "detach"; asset: number; post: number }
  | { do: "delete"; asset: number }
  | { do: "look"; asset: number }
  | { do: "arrange"; post: number; order: readonly number[] }
  | { do: "read"; post: number };

export type AssetState = "gone" | "pending" | "free" | number;

export interface State {
  readonly assets: readonly AssetState[];
  readonly posts: readonly (readonly number[])[];
}

/** The answer, as a word: `ok`, an error's code, or what was seen. */
type ObservedOutcome = ErrorCode | "ok" | `saw ${string}`;

export interface RecordedOperation {
  change: Operation;
  said: ObservedOutcome;
  /** When it was asked for and when it was answered, by a count that all workers share. */
  startedAt: number;
  endedAt: number;
}

export const observedAsset = (assetState: AssetState): ObservedOutcome => `saw ${assetState}`;
export const observedPost = (order: readonly number[]): ObservedOutcome => `saw ${order.join(",")}`;

/** One change: what must be answered, and what is then. */
function applyOperation(state: State, change: Operation, perPost: number): { said: ObservedOutcome; next: State } {
  const { assets, posts } = state;
  const unchanged = (said: ObservedOutcome) => ({ said, next: state });
  if (change.do === "read") return unchanged(observedPost(posts[change.post] ?? []));
  if (change.do === "arrange") {
    const now = posts[change.post] ?? [];
    const same = change.order.length === now.length && now.every((asset) => change.order.includes(asset));
    return same
      ? { said: "ok", next: { assets, posts: posts.with(change.post, change.order) } }
      : unchanged("invalid_input");
  }
  const { asset } = change;
  const assetState = assets[asset] ?? "gone";
  if (assetState === "gone") return unchanged("not_found");
  const move = (to: AssetState): State => ({
    assets: assets.with(asset, to),
    posts: posts.map((order, post) => [...order.filter((one) => one !== asset), ...(post === to ? [asset] : [])]),
  });
  if (change.do === "look") return unchanged(observedAsset(assetState));
  if (change.do === "delete")
    return typeof assetState === "number" ? unchanged("asset_in_use") : { said: "ok", next: move("gone") };
  if (change.do === "detach")
    return assetState === change.post ? { said: "ok", next: move("free") } : unchanged("not_attached");
  if (assetState === change.post) return unchanged("ok");
  if (typeof assetState === "number") return unchanged("already_attached");
  return (posts[change.post] ?? []).length >= perPost
    ? unchanged("asset_limit_reached")
    : { said: "ok", next: move(change.post) };
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
      const { said, next } = applyOperation(state, operation.change, perPost);
      return (
        said === operation.said &&
        search(
          remaining.filter((other) => other !== operation),
          next,
        )
      );
    });
  };
  return search(operations, before);
}
