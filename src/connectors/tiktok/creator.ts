import type { AccountChoices, Choice } from "#portable/post-options.ts";
import { toObject } from "../call-api.ts";
import type { ResultsContext } from "../publishing/publish-module.ts";

interface Creator {
  privacyLevels: readonly string[];
  /** What the account's settings allow others to do. */
  allowed: readonly Interaction[];
}

const interactions = ["comment", "duet", "stitch"] as const;
type Interaction = (typeof interactions)[number];

/** What the account offers now. TikTok wants it read at every choice and before every post. */
export function readCreator({ call }: Pick<ResultsContext, "call">): Promise<Creator> {
  return call({ method: "POST", path: "/v2/post/publish/creator_info/query/", json: {} }, ({ data }) => {
    const creator = toObject(data);
    const levels = creator["privacy_level_options"];
    return {
      privacyLevels: Array.isArray(levels) ? levels.filter((level) => typeof level === "string") : [],
      allowed: interactions.filter((name) => creator[`${name}_disabled`] === false),
    };
  });
}

const privacyLabels: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  FOLLOWER_OF_CREATOR: "Followers",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  SELF_ONLY: "Only you",
};

const interactionLabels = { comment: "Comment", duet: "Duet", stitch: "Stitch" } as const;

const combinations: readonly (readonly Interaction[])[] = [
  [],
  ["comment"],
  ["duet"],
  ["stitch"],
  ["comment", "duet"],
  ["comment", "stitch"],
  ["duet", "stitch"],
  ["comment", "duet", "stitch"],
];

/** All combinations of what the account allows. */
export const listInteractions = ({ allowed }: Creator): Choice[] =>
  combinations
    .filter((names) => names.every((name) => allowed.includes(name)))
    .map((names) => ({
      value: names.length === 0 ? "none" : names.join("+"),
      label: names.length === 0 ? "Nothing" : names.map((name) => interactionLabels[name]).join(", "),
    }));

export async function readChoices(context: ResultsContext): Promise<AccountChoices> {
  const creator = await readCreator(context);
  const privacy = creator.privacyLevels.map((value) => ({ value, label: privacyLabels[value] ?? value }));
  return { privacy, interactions: listInteractions(creator) };
}
