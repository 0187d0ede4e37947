import type { ErrorCode } from "#lib/errors.ts";

/** What a studio's assets do, one change after another: a few lines that the whole service is held against. */

/** Assets and posts by their number in the test. */
export type Change =
  | { do: "attach"; asset: number; post: number }
  | { do: "detach"; asset: number; post: number }
  | { do: "delete"; asset: number }
  | { do: "look"; asset: number }
  | { do: "arrange"; post: number; order: readonly number[] }
  | { do: "read"; post: number };

export type Place = "gone" | "pending" | "free" | number;

export interface State {
  readonly assets: readonly Place[];
  readonly posts: readonly (readonly number[])[];
}

/** The answer, as a word: `ok`, an error's code, or what was seen. */
type Said = ErrorCode | "ok" | `saw ${string}`;

export interface Deed {
  change: Change;
  said: Said;
  /** When it was asked for and when it was answered, by a count that all workers share. */
  from: number;
  to: number;
}

export const sawAsset = (place: Place): Said => `saw ${place}`;
export const sawPost = (order: readonly number[]): Said => `saw ${order.join(",")}`;

/** One change: what must be answered, and what is then. */
function step(state: State, change: Change, perPost: number): { said: Said; next: State } {
  const { assets, posts } = state;
  const refuse = (said: Said) => ({ said, next: state });
  if (change.do === "read") return refuse(sawPost(posts[change.post] ?? []));
  if (change.do === "arrange") {
    const now = posts[change.post] ?? [];
    const same = change.order.length === now.length && now.every((asset) => change.order.includes(asset));
    return same
      ? { said: "ok", next: { assets, posts: posts.with(change.post, change.order) } }
      : refuse("invalid_input");
  }
  const { asset } = change;
  const place = assets[asset] ?? "gone";
  if (place === "gone") return refuse("not_found");
  const move = (to: Place): State => ({
    assets: assets.with(asset, to),
    posts: posts.map((order, post) => [...order.filter((one) => one !== asset), ...(post === to ? [asset] : [])]),
  });
  if (change.do === "look") return refuse(sawAsset(place));
  if (change.do === "delete")
    return typeof place === "number" ? refuse("asset_in_use") : { said: "ok", next: move("gone") };
  if (change.do === "detach")
    return place === change.post ? { said: "ok", next: move("free") } : refuse("not_attached");
  if (place === change.post) return refuse("ok");
  if (typeof place === "number") return refuse("already_attached");
  return (posts[change.post] ?? []).length >= perPost
    ? refuse("asset_limit_reached")
    : { said: "ok", next: move(change.post) };
}

/**
 * Whether some order of these deeds, in which none comes before one that had ended when it began, gives every answer
 * that was given and leads from `before` to `after`: linearizability (Herlihy and Wing), by a search that tries no
 * state twice.
 */
export function isSomeOrder(deeds: readonly Deed[], before: State, after: State, perPost: number): boolean {
  const goal = JSON.stringify(after);
  const tried = new Set<string>();
  const search = (left: readonly Deed[], state: State): boolean => {
    if (left.length === 0) return JSON.stringify(state) === goal;
    const key = `${left.map(({ from }) => from).join()} ${JSON.stringify(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const firstEnd = Math.min(...left.map(({ to }) => to));
    return left.some((deed) => {
      if (deed.from > firstEnd) return false;
      const { said, next } = step(state, deed.change, perPost);
      return (
        said === deed.said &&
        search(
          left.filter((other) => other !== deed),
          next,
        )
      );
    });
  };
  return search(deeds, before);
}
