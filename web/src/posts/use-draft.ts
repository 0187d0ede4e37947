import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { updatePost } from "../api/changes.ts";
import { ApiError } from "../api/failure.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { merge, unsaved, type Draft, type DraftField } from "./merge.ts";

/** So long after the last key a draft is saved. */
const pauseMs = 700;
const retryMs = 4000;

interface State {
  /** The post as it was when draft and server last agreed. */
  base: Post;
  draft: Draft;
  /** Set while both sides changed the same field. */
  theirs: Post | undefined;
  disputed: DraftField[];
  saving: boolean;
  error: unknown;
  /** Fields that changed from elsewhere a moment ago. */
  touched: DraftField[];
}

export type DraftKeeper = ReturnType<typeof useDraft>;

/** Keeps what is typed: saves it by itself, takes in what others change, and says when the two do not fit. */
export function useDraft(post: Post, studioId: string) {
  const queries = useQueryClient();
  const [state, setState] = useState<State>(() => begin(post));
  // Timers and answers of the server read what is there when they come, not when they were set up.
  const latest = useRef(state);
  const put = useCallback((change: Partial<State>) => {
    latest.current = { ...latest.current, ...change };
    setState(latest.current);
  }, []);

  const takeIn = useCallback(
    (theirs: Post) => {
      const { base, draft, theirs: shown } = latest.current;
      if (theirs.revision <= (shown ?? base).revision) return;
      const merged = merge(base, draft, theirs);
      if (merged.disputed.length > 0) put({ theirs, disputed: merged.disputed });
      else put({ base: theirs, draft: merged.draft, theirs: undefined, disputed: [], touched: merged.taken });
    },
    [put],
  );

  const save = useCallback(async (): Promise<void> => {
    const { base, draft, saving, theirs } = latest.current;
    const change = unsaved(base, draft);
    if (saving || theirs || Object.keys(change).length === 0) return;
    put({ saving: true });
    try {
      const saved = await updatePost(studioId, base.id, { ...change, revision: base.revision });
      const sent = { ...base, ...change };
      // The server trims titles; what was typed since then stays.
      const after = merge(sent, latest.current.draft, saved);
      put({ base: saved, draft: after.draft, saving: false, error: undefined });
      queries.setQueryData(postQuery(studioId, base.id).queryKey, saved);
    } catch (error) {
      put({ saving: false, error });
      if (!(error instanceof ApiError) || error.code !== "revision_conflict") return;
      put({ error: undefined });
      await queries.refetchQueries({ queryKey: postQuery(studioId, base.id).queryKey });
    }
  }, [put, queries, studioId]);

  useEffect(() => takeIn(post), [post, takeIn]);

  const { base, draft, saving, error, theirs, touched } = state;
  const isUnsaved = Object.keys(unsaved(base, draft)).length > 0;

  useEffect(() => {
    if (!isUnsaved || saving || theirs) return undefined;
    const timer = setTimeout(() => void save(), error === undefined ? pauseMs : retryMs);
    return () => clearTimeout(timer);
  }, [draft, isUnsaved, saving, theirs, error, save]);

  useEffect(() => {
    if (touched.length === 0) return undefined;
    const timer = setTimeout(() => put({ touched: [] }), 4000);
    return () => clearTimeout(timer);
  }, [touched, put]);

  // Leaving the page within the app saves at once; leaving the app asks first.
  useEffect(() => () => void save(), [save]);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isUnsaved]);

  return {
    ...state,
    isUnsaved,
    save,
    edit: (change: Partial<Draft>) => put({ draft: { ...latest.current.draft, ...change } }),
    /** Takes a post that the server just answered. */
    accept: (saved: Post) => {
      takeIn(saved);
      queries.setQueryData(postQuery(studioId, saved.id).queryKey, saved);
    },
    /** Settles a dispute: what was chosen of each field goes on from the server's revision. */
    settle: (choice: Draft) => {
      const settled = latest.current.theirs;
      if (settled) put({ base: settled, draft: choice, theirs: undefined, disputed: [] });
    },
  };
}

function begin(post: Post): State {
  const { title, body } = post;
  return {
    base: post,
    draft: { title, body },
    theirs: undefined,
    disputed: [],
    saving: false,
    error: undefined,
    touched: [],
  };
}
