import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { saveEdit } from "../api/mutations.ts";
import { ApiError } from "../api/api-error.ts";
import { isRedirecting } from "../api/client.ts";
import { changesSinceQuery } from "../api/history-queries.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatActors } from "../ui/format-actor.ts";
import { readKeptEdits, useKeptEdits } from "./kept-edits.ts";
import { useSequentialCalls } from "./use-sequential-calls.ts";
import { getUnsavedChanges, joinDraft, mergeDrafts, type Draft, type DraftField } from "./merge-drafts.ts";

/** The delay between the last keystroke and saving. */
export const autosaveDelayMs = 700;
export const retryDelayMs = 4000;
const highlightDurationMs = 4000;

interface DraftState {
  /** The last version that the draft and the server had in common. */
  base: Post;
  draft: Draft;
  /** The server's version, while both sides have changed the same part. */
  theirs: Post | undefined;
  isSaving: boolean;
  error: unknown;
  /** Fields that a remote change just updated, to be highlighted. */
  recentlyUpdatedFields: DraftField[];
}

/** `conflict`: the user must choose between two versions; `failed`: some edits are not saved and will be sent again. */
export type SaveResult = "saved" | "conflict" | "failed";

export type DraftController = ReturnType<typeof useDraft>;

/**
 * Saves the user's edits automatically, merges remote changes, and reports conflicts. `onMerge` is called with the
 * authors of changes that were merged with unsaved edits. The server merges autosaves of a few minutes into one revision,
 * except the text that the user found here, and text that an edit mostly removed.
 */
export function useDraft(post: Post, studioId: string, onMerge: (authors: string) => void) {
  const keptKey = `post-edits ${useStudio().me.user.id} ${post.id}`;
  const [state, setState] = useState<DraftState>(() =>
    createInitialState(post, readKeptEdits(keptKey) as KeptDraft | undefined),
  );
  // Lets timers and responses read the current state rather than the state when they were created.
  const latest = useRef(state);
  const patchState = useCallback((change: Partial<DraftState>) => {
    latest.current = { ...latest.current, ...change };
    setState(latest.current);
  }, []);
  const postId = post.id;
  const hasSaved = useRef(false);

  /** Merges the server's version into the draft, or reports the conflict. */
  const merge = useCallback(
    (theirs: Post) => {
      const { base, draft } = latest.current;
      const { parts, acceptedFields, hasConflict } = mergeDrafts(base, draft, theirs);
      if (hasConflict) {
        patchState({ theirs });
        return;
      }
      const isUnsaved = hasUnsavedChanges(base, draft);
      patchState({ base: theirs, draft: joinDraft(parts), theirs: undefined, recentlyUpdatedFields: acceptedFields });
      if (!isUnsaved || acceptedFields.length === 0) return;
      // If the names can't be read, the merge is reported without them.
      queryClient.query(changesSinceQuery(studioId, postId, base.revision, theirs.revision)).then(
        (changes) => {
          // The merged edits may have been saved meanwhile.
          const mergedChanges = changes.filter(({ revision }) => revision <= theirs.revision);
          onMerge(mergedChanges.length === 0 ? "another member" : formatActors(mergedChanges));
        },
        () => onMerge("another member"),
      );
    },
    [onMerge, patchState, postId, studioId],
  );

  const applyRemote = useCallback(
    (remote: Post) => {
      const { base, isSaving, theirs } = latest.current;
      // While saving, the server's version may be our own save; `save` applies it afterwards.
      if (!isSaving && remote.revision > (theirs ?? base).revision) merge(remote);
    },
    [merge],
  );

  const sendChanges = useCallback(
    async function send(): Promise<SaveResult> {
      const { base, draft, theirs } = latest.current;
      const change = getUnsavedChanges(base, draft);
      if (theirs) return "conflict";
      if (Object.keys(change).length === 0) return "saved";
      patchState({ isSaving: true });
      const { queryKey } = postQuery(studioId, postId);
      try {
        const keepsPreviousRevision = !hasSaved.current || removesMuchText(base.body, draft.body);
        const edit = { ...change, revision: base.revision, keepsPreviousRevision };
        const savedPost = await saveEdit({ studioId, postId }, edit);
        hasSaved.current = true;
        const sentDraft = { ...base, ...change };
        // Apply what the server changed (it trims titles), and keep edits made since the request was sent.
        const { parts } = mergeDrafts(sentDraft, latest.current.draft, savedPost);
        patchState({ base: savedPost, draft: joinDraft(parts), isSaving: false, error: undefined });
        const cachedPost = queryClient.getQueryData(queryKey);
        if (cachedPost && cachedPost.revision > savedPost.revision) applyRemote(cachedPost);
        else queryClient.setQueryData(queryKey, keepPublications(savedPost));
        return getSaveResult(latest.current);
      } catch (error) {
        const isConflict = error instanceof ApiError && error.code === "revision_conflict";
        patchState({ isSaving: false, error: isConflict ? undefined : error });
        if (!isConflict) return "failed";
        await queryClient.refetchQueries({ queryKey });
        const currentPost = queryClient.getQueryData(queryKey);
        if (currentPost) applyRemote(currentPost);
        // If the server's version was merged, send again now; after the user has left the page, no timer would.
        return latest.current.base.revision > base.revision ? send() : getSaveResult(latest.current);
      }
    },
    [applyRemote, patchState, postId, studioId],
  );
  const save = useSequentialCalls(sendChanges);

  useEffect(() => applyRemote(post), [post, applyRemote]);

  const { base, draft, isSaving, error, theirs, recentlyUpdatedFields } = state;
  const isUnsaved = hasUnsavedChanges(base, draft);
  const keptDraft = useMemo((): KeptDraft | undefined => {
    const { title, body, revision } = base;
    return isUnsaved ? { base: { title, body, revision }, draft } : undefined;
  }, [base, draft, isUnsaved]);
  useKeptEdits(keptKey, keptDraft);

  useEffect(() => {
    if (!hasUnsavedChanges(base, draft) || isSaving || theirs) return undefined;
    const timer = setTimeout(() => void save(), error === undefined ? autosaveDelayMs : retryDelayMs);
    return () => clearTimeout(timer);
  }, [base, draft, isSaving, theirs, error, save]);

  useEffect(() => {
    if (recentlyUpdatedFields.length === 0) return undefined;
    const timer = setTimeout(() => patchState({ recentlyUpdatedFields: [] }), highlightDurationMs);
    return () => clearTimeout(timer);
  }, [recentlyUpdatedFields, patchState]);

  // Leaving the web app asks first; opening another page of it saves first (use-save-on-leave.ts).
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const confirmLeave = (event: BeforeUnloadEvent): void => {
      if (!isRedirecting()) event.preventDefault();
    };
    window.addEventListener("beforeunload", confirmLeave);
    return () => window.removeEventListener("beforeunload", confirmLeave);
  }, [isUnsaved]);

  return {
    ...state,
    isUnsaved,
    save,
    edit: (change: Partial<Draft>) => {
      patchState({ draft: { ...latest.current.draft, ...change } });
      // The edit may have resolved the conflict.
      if (latest.current.theirs) merge(latest.current.theirs);
    },
    /** Applies a post that the server just returned. */
    accept: (returnedPost: Post) => {
      applyRemote(returnedPost);
      queryClient.setQueryData(postQuery(studioId, postId).queryKey, keepPublications(returnedPost));
    },
    /** Resolves a conflict: the chosen title and body become edits to the server's version. */
    resolveConflict: (choice: Draft) => {
      const serverPost = latest.current.theirs;
      if (serverPost) patchState({ base: serverPost, draft: choice, theirs: undefined });
    },
  };
}

const hasUnsavedChanges = (base: Post, draft: Draft): boolean => Object.keys(getUnsavedChanges(base, draft)).length > 0;

/** Whether less than half of the text is left. Typing and corrections remove little at a time. */
function removesMuchText(before: string, after: string): boolean {
  const maxLength = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxLength && before[start] === after[start]) start++;
  let end = 0;
  while (end < maxLength - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return before.length >= 40 && start + end < before.length / 2;
}

interface KeptDraft {
  base: Pick<Post, "title" | "body" | "revision">;
  draft: Draft;
}

function createInitialState(post: Post, kept: KeptDraft | undefined): DraftState {
  const { title, body } = post;
  return {
    base: { ...post, ...kept?.base },
    draft: kept?.draft ?? { title, body },
    theirs: undefined,
    isSaving: false,
    error: undefined,
    recentlyUpdatedFields: [],
  };
}

function getSaveResult({ base, draft, theirs }: DraftState): SaveResult {
  if (theirs) return "conflict";
  return hasUnsavedChanges(base, draft) ? "failed" : "saved";
}

/** Returns an updater of the cache. The response to a change omits the publications; the next request updates them. */
const keepPublications =
  (returnedPost: Post) =>
  (cachedPost: Post | undefined): Post => ({
    ...returnedPost,
    publications: returnedPost.publications ?? cachedPost?.publications,
  });
