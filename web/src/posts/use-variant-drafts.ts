import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { saveEdit } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { changeVariant } from "./change-variant.ts";
import { autosaveDelayMs, retryDelayMs, type DraftController, type SaveResult } from "./use-draft.ts";
import { readKeptEdits, useKeptEdits } from "./kept-edits.ts";
import { useSequentialCalls } from "./use-sequential-calls.ts";

interface VariantEdit {
  /** Undefined if the account gets the post's text. */
  text: string | undefined;
  /** The saved text that the user started from. */
  base: string | undefined;
}
/** By connection id. */
type Edits = Readonly<Record<string, VariantEdit>>;

export type VariantDrafts = ReturnType<typeof useVariantDrafts>;

/** Saves the texts of single accounts automatically, and reports conflicts. All ids are connection ids. */
export function useVariantDrafts(post: Post, controller: DraftController, studioId: string) {
  const keptKey = `account-text-edits ${useStudio().me.user.id} ${post.id}`;
  const [edits, setEdits] = useState<Edits>(() => (readKeptEdits(keptKey) as Edits | undefined) ?? {});
  useKeptEdits(keptKey, Object.keys(edits).length > 0 ? edits : undefined);
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  // Lets timers and responses read the current state rather than the state when they were created.
  const latest = useRef({ post, controller, edits });
  useLayoutEffect(() => {
    latest.current = { post, controller, edits };
  });
  const postId = post.id;
  const hasSaved = useRef(false);

  /** The title or body may have been saved since the last render. */
  const getLatestPost = useCallback((): Post => {
    const cachedPost = queryClient.getQueryData(postQuery(studioId, postId).queryKey);
    const { post: renderedPost } = latest.current;
    return cachedPost && cachedPost.revision > renderedPost.revision ? cachedPost : renderedPost;
  }, [postId, studioId]);

  const sendEdits = useCallback(
    async function send(): Promise<SaveResult> {
      const currentPost = getLatestPost();
      const unsavedEdits = listUnsavedEdits(currentPost, latest.current.edits);
      const sentEdits = unsavedEdits.filter(([id, edit]) => !isConflict(currentPost, id, edit));
      if (sentEdits.length === 0) return unsavedEdits.length > 0 ? "conflict" : "saved";
      const { revision } = currentPost;
      setIsSaving(true);
      try {
        const variants = sentEdits.reduce(
          (all, [id, { text }]) => changeVariant(all, id, { body: text }),
          currentPost.variants,
        );
        const change = { variants, revision, keepsPreviousRevision: !hasSaved.current };
        latest.current.controller.accept(await saveEdit({ studioId, postId }, change));
        hasSaved.current = true;
        const savedPost = getLatestPost();
        latest.current.edits = removeSavedEdits(savedPost, latest.current.edits, sentEdits);
        setEdits((newEdits) => removeSavedEdits(savedPost, newEdits, sentEdits));
        setError(undefined);
        if (listUnsavedEdits(savedPost, latest.current.edits).length === 0) return "saved";
        return unsavedEdits.length > sentEdits.length ? "conflict" : "failed";
      } catch (failure) {
        const isRevisionConflict = failure instanceof ApiError && failure.code === "revision_conflict";
        setError(isRevisionConflict ? undefined : failure);
        if (!isRevisionConflict) return "failed";
        await queryClient.refetchQueries({ queryKey: postQuery(studioId, postId).queryKey });
        // Send again now: after the user has left the page, no timer does.
        return getLatestPost().revision > revision ? await send() : "failed";
      } finally {
        setIsSaving(false);
      }
    },
    [getLatestPost, postId, studioId],
  );
  const save = useSequentialCalls(sendEdits);

  const conflictIds = Object.entries(edits)
    .filter(([id, edit]) => isConflict(post, id, edit))
    .map(([id]) => id);
  const isUnsaved = listUnsavedEdits(post, edits).length > 0;
  const canSave = isUnsaved && conflictIds.length < Object.keys(edits).length;

  useEffect(() => {
    if (!canSave || isSaving) return undefined;
    const timer = setTimeout(() => void save(), error === undefined ? autosaveDelayMs : retryDelayMs);
    return () => clearTimeout(timer);
  }, [edits, canSave, isSaving, error, save]);

  return {
    isUnsaved,
    isSaving,
    error,
    conflictIds,
    save,
    /** The account's own text as edited; undefined if the account gets the post's text. */
    getOwnText: (id: string): string | undefined => (edits[id] ? edits[id].text : findOwnText(post, id)),
    /** The saved text that the edit started from, and the saved text now. */
    getVersions: (id: string) => ({ before: edits[id]?.base, after: findOwnText(post, id) }),
    /** Without a text, the account gets the post's text. */
    edit: (id: string, text: string | undefined) =>
      setEdits(({ [id]: edit, ...others }) => {
        const savedText = findOwnText(post, id);
        // While saving, the request may replace the saved text, so the edit is kept.
        if (text === savedText && !isSaving) return others;
        return { ...others, [id]: { text, base: edit ? edit.base : savedText } };
      }),
    /** Resolves a conflict: with the saved text, or with the edit. */
    resolve: (id: string, side: "mine" | "theirs") =>
      setEdits(({ [id]: edit, ...others }) =>
        side === "theirs" || !edit ? others : { ...others, [id]: { ...edit, base: findOwnText(post, id) } },
      ),
  };
}

/** The account's own text; undefined if the account gets the post's text. */
const findOwnText = ({ variants }: Pick<Post, "variants">, id: string): string | undefined =>
  variants.find(({ connectionId }) => connectionId === id)?.body;

const listUnsavedEdits = (post: Post, edits: Edits): [id: string, edit: VariantEdit][] =>
  Object.entries(edits).filter(([id, { text }]) => text !== findOwnText(post, id));

function isConflict(post: Post, id: string, { text, base }: VariantEdit): boolean {
  const savedText = findOwnText(post, id);
  return savedText !== base && savedText !== text;
}

/**
 * Removes edits that were sent and saved, and those that change nothing. An edit that changed after it was sent is now
 * based on the sent text.
 */
function removeSavedEdits(post: Post, edits: Edits, sentEdits: readonly [id: string, edit: VariantEdit][]): Edits {
  const sentTexts = new Map(sentEdits.map(([id, { text }]) => [id, text]));
  return Object.fromEntries(
    listUnsavedEdits(post, edits)
      .filter(([id, { text }]) => !sentTexts.has(id) || sentTexts.get(id) !== text)
      .map(([id, edit]) => [id, sentTexts.has(id) ? { ...edit, base: sentTexts.get(id) } : edit]),
  );
}
