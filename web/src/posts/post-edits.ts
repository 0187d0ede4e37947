import { changeVariant } from "./change-variant.ts";
import { isConflict, mergeText, type MergePart } from "./merge-text.ts";

/** What the editor saves by itself. `text:` is followed by the id of the connection that gets this text of its own. */
export type Field = "title" | "body" | "tags" | `text:${string}`;
/** Without a text of its own, an account gets that of the post. */
export type Value = string | readonly string[] | undefined;

/** What the editor needs to know of a version of a post. */
export interface EditedPost {
  title: string;
  body: string;
  tags: readonly string[];
  variants: readonly { connectionId: string; body?: string | undefined }[];
  revision: number;
}

/** A change by the user that is not saved yet. */
export interface Edit {
  value: Value;
  /** The saved value that the user started from, and its revision. */
  base: Value;
  revision: number;
  /** The value that was sent last. Its response can be lost. */
  sent?: Value;
}
export type Edits = Readonly<Partial<Record<Field, Edit>>>;

export interface UnsavedEdit extends Edit {
  field: Field;
  /** Whether the server has another value, which can't be merged with the edit. */
  hasConflict: boolean;
}

const textField = /^text:/;
export const getTextField = (connectionId: string): Field => `text:${connectionId}`;

export function getSavedValue(post: EditedPost, field: Field): Value {
  if (field === "title" || field === "body" || field === "tags") return post[field];
  return post.variants.find(({ connectionId }) => getTextField(connectionId) === field)?.body;
}

export const isSameValue = (a: Value, b: Value): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((tag, i) => tag === b[i]));

const listEdits = (edits: Edits): [Field, Edit][] => Object.entries(edits) as [Field, Edit][];

/** The edits to send or to decide about: all except a blank title, which the server would reject. */
export const listUnsaved = (post: EditedPost, edits: Edits): UnsavedEdit[] =>
  listEdits(edits)
    .map(([field, edit]) => ({ field, ...edit, saved: getSavedValue(post, field) }))
    .filter(({ field, value, saved }) => !isSameValue(value, saved) && !(field === "title" && isBlank(value)))
    .map(({ saved, ...edit }) => ({ ...edit, hasConflict: !isSameValue(saved, edit.base) }));

const isBlank = (value: Value): boolean => typeof value === "string" && value.trim() === "";

/** The edits of a newer version: without those that it contains, and merged with its changes where that is possible. */
export function rebaseEdits(post: EditedPost, edits: Edits): Edits {
  const rebasedEdits = listEdits(edits).map(([field, edit]): [Field, Edit] => {
    const saved = getSavedValue(post, field);
    const { revision } = post;
    if (isSameValue(saved, edit.base)) return [field, { ...edit, revision }];
    if ("sent" in edit && isSameValue(saved, edit.sent)) return [field, { value: edit.value, base: saved, revision }];
    const merged = mergeValue(field, edit, saved);
    return [field, merged === undefined ? edit : { value: merged, base: saved, revision }];
  });
  return Object.fromEntries(
    rebasedEdits.filter(([field, { value }]) => !isSameValue(value, getSavedValue(post, field))),
  );
}

/** Undefined if the user has to choose. */
function mergeValue(field: Field, { base, value }: Edit, saved: Value): Value {
  if (field === "tags") return mergeTags(base as string[], value as string[], saved as string[]);
  const parts = listParts(field, base, value, saved);
  return parts.some(isConflict) ? undefined : joinParts(parts);
}

/** The parts of a text that are merged, and those that both sides changed. A title is one line, so it is one part. */
export function listParts(field: Field, base: Value, mine: Value, theirs: Value): MergePart[] {
  if (field !== "title" && typeof base === "string" && typeof mine === "string" && typeof theirs === "string")
    return mergeText(base, mine, theirs);
  return [{ mine: [String(mine ?? "")], theirs: [String(theirs ?? "")] }];
}

/** Adds and removes the tags that the user added and removed. */
const mergeTags = (base: readonly string[], mine: readonly string[], saved: readonly string[]): string[] => [
  ...saved.filter((tag) => mine.includes(tag) || !base.includes(tag)),
  ...mine.filter((tag) => !base.includes(tag) && !saved.includes(tag)),
];

export type Side = "mine" | "theirs";

/** The merged text. `chooseSide` is called for each conflict, with its number in the text. */
export function joinParts(
  parts: readonly MergePart[],
  chooseSide: (conflictIndex: number) => Side = () => "mine",
): string {
  let conflictIndex = 0;
  return parts.flatMap((part) => (isConflict(part) ? part[chooseSide(conflictIndex++)] : part.lines)).join("\n");
}

/** Notes what is sent. */
export const markSent = (edits: Edits, sentEdits: readonly UnsavedEdit[]): Edits => ({
  ...edits,
  ...Object.fromEntries(
    sentEdits.map(({ field, value, base, revision }) => [field, { value, base, revision, sent: trim(field, value) }]),
  ),
});

/** As the server saves it. */
const trim = (field: Field, value: Value): Value =>
  field === "title" && typeof value === "string" ? value.trim() : value;

/** The edits that remain after some were sent and saved. What changed since is now an edit of what the server returned. */
export function settleEdits(savedPost: EditedPost, edits: Edits, sentEdits: readonly UnsavedEdit[]): Edits {
  const sentValues = new Map(sentEdits.map(({ field, value }) => [field, value]));
  const remainingEdits = listEdits(edits)
    .filter(([field, { value }]) => !sentValues.has(field) || !isSameValue(value, sentValues.get(field)))
    .map(([field, edit]) => [
      field,
      sentValues.has(field)
        ? { value: edit.value, base: getSavedValue(savedPost, field), revision: savedPost.revision }
        : edit,
    ]);
  return rebaseEdits(savedPost, Object.fromEntries(remainingEdits) as Edits);
}

export function toPostChange<Post extends EditedPost>(
  { variants }: Post,
  edits: readonly UnsavedEdit[],
): Partial<Pick<Post, "title" | "body" | "tags" | "variants">> {
  const ownTexts = edits.filter(({ field }) => textField.test(field));
  const others = edits.filter(({ field }) => !textField.test(field));
  return {
    ...Object.fromEntries(others.map(({ field, value }) => [field, value])),
    ...(ownTexts.length > 0 && {
      variants: ownTexts.reduce(
        (all, { field, value }) =>
          changeVariant(all, field.replace(textField, ""), { body: value as string | undefined }),
        variants,
      ),
    }),
  };
}
