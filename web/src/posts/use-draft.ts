import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { updatePost } from "../api/mutations.ts";
import { ApiError } from "../api/api-error.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { mergeDrafts, getUnsavedChanges, type Draft, type DraftField } from "./merge-drafts.ts";

/** The delay between the last keystroke and saving. */
const autosaveDelayMs = 700;
const retryDelayMs = 4000;

interface DraftState {
  /** The last version that the draft and the server had in common. */
  base: Post;
  draft: Draft;
  /** The server's version, while both sides have changed the same field. */
  theirs: Post | undefined;
  conflicts: DraftField[];
  isSaving: boolean;
  error: unknown;
  /** Fields that a remote change just updated, to be highlighted. */
  recentlyUpdated: DraftField[];
}

export type DraftController = ReturnType<typeof useDraft>;

/** Saves the user's edits automatically, merges remote changes, and reports conflicts. */
export function useDraft(post: Post, studioId: string) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<DraftState>(() => createInitialState(post));
  // Lets timers and responses read the current state rather than the state when they were created.
  const latest = useRef(state);
  const patchState = useCallback((change: Partial<DraftState>) => {
    latest.current = { ...latest.current, ...change };
    setState(latest.current);
  }, []);

  const applyRemote = useCallback(
    (theirs: Post) => {
      const { base, draft, theirs: shownVersion } = latest.current;
      if (theirs.revision <= (shownVersion ?? base).revision) return;
      const merged = mergeDrafts(base, draft, theirs);
      if (merged.conflicts.length > 0) patchState({ theirs, conflicts: merged.conflicts });
      else
        patchState({
          base: theirs,
          draft: merged.draft,
          theirs: undefined,
          conflicts: [],
          recentlyUpdated: merged.acceptedFields,
        });
    },
    [patchState],
  );

  const save = useCallback(async (): Promise<void> => {
    const { base, draft, isSaving, theirs } = latest.current;
    const change = getUnsavedChanges(base, draft);
    if (isSaving || theirs || Object.keys(change).length === 0) return;
    patchState({ isSaving: true });
    try {
      const saved = await updatePost(studioId, base.id, { ...change, revision: base.revision });
      const savedDraft = { ...base, ...change };
      // The server trims titles. Edits made since the request was sent stay.
      const mergedDraft = mergeDrafts(savedDraft, latest.current.draft, saved);
      patchState({ base: saved, draft: mergedDraft.draft, isSaving: false, error: undefined });
      queryClient.setQueryData(postQuery(studioId, base.id).queryKey, saved);
    } catch (error) {
      patchState({ isSaving: false, error });
      if (!(error instanceof ApiError) || error.code !== "revision_conflict") return;
      patchState({ error: undefined });
      await queryClient.refetchQueries({ queryKey: postQuery(studioId, base.id).queryKey });
    }
  }, [patchState, queryClient, studioId]);

  useEffect(() => applyRemote(post), [post, applyRemote]);

  const { base, draft, isSaving, error, theirs, recentlyUpdated } = state;
  const isUnsaved = Object.keys(getUnsavedChanges(base, draft)).length > 0;

  useEffect(() => {
    if (!isUnsaved || isSaving || theirs) return undefined;
    const timer = setTimeout(() => void save(), error === undefined ? autosaveDelayMs : retryDelayMs);
    return () => clearTimeout(timer);
  }, [draft, isUnsaved, isSaving, theirs, error, save]);

  useEffect(() => {
    if (recentlyUpdated.length === 0) return undefined;
    const timer = setTimeout(() => patchState({ recentlyUpdated: [] }), 4000);
    return () => clearTimeout(timer);
  }, [recentlyUpdated, patchState]);

  // Navigation inside the app saves at once; leaving the app asks first.
  useEffect(() => () => void save(), [save]);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const confirmLeave = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", confirmLeave);
    return () => window.removeEventListener("beforeunload", confirmLeave);
  }, [isUnsaved]);

  return {
    ...state,
    isUnsaved,
    save,
    edit: (change: Partial<Draft>) => patchState({ draft: { ...latest.current.draft, ...change } }),
    /** Applies a post that the server just returned. */
    accept: (saved: Post) => {
      applyRemote(saved);
      queryClient.setQueryData(postQuery(studioId, saved.id).queryKey, saved);
    },
    /** Resolves a conflict: the chosen title and body become edits to the server's version. */
    resolveConflict: (choice: Draft) => {
      const serverPost = latest.current.theirs;
      if (serverPost) patchState({ base: serverPost, draft: choice, theirs: undefined, conflicts: [] });
    },
  };
}

function createInitialState(post: Post): DraftState {
  const { title, body } = post;
  return {
    base: post,
    draft: { title, body },
    theirs: undefined,
    conflicts: [],
    isSaving: false,
    error: undefined,
    recentlyUpdated: [],
  };
}
