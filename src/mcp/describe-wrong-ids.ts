import { findIdKind, type IdKind } from "#lib/ids.ts";

/** The kind of id that each input expects. */
const expectedKinds: Readonly<Record<string, IdKind>> = {
  postId: "post",
  assetId: "asset",
  assetIds: "asset",
  publicationId: "publication",
  connectionId: "platformConnection",
  connectionIds: "platformConnection",
};

const kindNames: Readonly<Record<IdKind, string>> = {
  user: "user",
  studio: "studio",
  post: "post",
  asset: "asset",
  grant: "connected client",
  platformConnection: "platform connection",
  invitation: "invitation",
  uploadLink: "upload link",
  publication: "publication",
  activity: "activity entry",
  comment: "comment",
  request: "request",
};

/** Says which inputs contain an id of another kind, a common mistake of models. Undefined if none does. */
export function describeWrongIds(args: Readonly<Record<string, unknown>>): string | undefined {
  const sentences = Object.entries(expectedKinds).flatMap(([name, expected]) => {
    const values = listValues(args, name);
    const wrongKind = values.map((value) => typeof value === "string" && findIdKind(value)).find(isOtherKind(expected));
    return wrongKind ? [`${name} is the id of a ${kindNames[wrongKind]}, not of a ${kindNames[expected]}.`] : [];
  });
  return sentences.length === 0 ? undefined : sentences.join(" ").replace(/ a (?=[ai]|upload)/g, " an ");
}

/** The values of an input, including those in `variants`. */
function listValues(args: Readonly<Record<string, unknown>>, name: string): unknown[] {
  const variants = [args["variants"]].flat() as (Record<string, unknown> | null | undefined)[];
  return [args[name], ...variants.map((variant) => variant?.[name])].flat();
}

const isOtherKind =
  (expected: IdKind) =>
  (kind: IdKind | false | undefined): kind is IdKind =>
    typeof kind === "string" && kind !== expected;
