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

const kindNames: Readonly<Partial<Record<IdKind, string>>> = { grant: "connected client", activity: "activity entry" };

/** `uploadLink` becomes `upload link`. */
const getKindName = (kind: IdKind): string =>
  kindNames[kind] ?? kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Says which inputs contain an id of another kind, a common mistake of models. Undefined if none does. */
export function describeWrongIds(args: Readonly<Record<string, unknown>>): string | undefined {
  const sentences = Object.entries(expectedKinds).flatMap(([name, expected]) => {
    const values = listValues(args, name);
    const wrongKind = values.map((value) => typeof value === "string" && findIdKind(value)).find(isOtherKind(expected));
    return wrongKind ? [`${name} is the id of a ${getKindName(wrongKind)}, not of a ${getKindName(expected)}.`] : [];
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
