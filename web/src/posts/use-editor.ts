import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ApiError } from "../api/api-error.ts";
import { isRedirecting } from "../api/client.ts";
import { changesSinceQuery } from "../api/history-queries.ts";
import { saveEdit } from "../api/mutations.ts";
import { postQuery, type Post, type PostStatus } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatActors } from "../ui/format-actor.ts";
import { readKeptEdits, keepEdits } from "./kept-edits.ts";
import { getTextField, listUnsaved } from "./post-edits.ts";
import { createPostStore, getShownValue, type PostStore, type SaveResult } from "./post-store.ts";

export type EditorController = ReturnType<typeof useEditor>;

/** What to tell the user if an action needs a saved post and `save` did not return `saved`. */
export const unsavedMessages: Record<Exclude<SaveResult, "saved">, string> = {
  conflict: "Choose between the two versions first.",
  failed: "Your last edits aren’t saved yet. Try again in a moment.",
};

/** The open post with the user's edits. `onMerge` is called with the authors of changes that were merged with edits. */
export function useEditor(post: Post, studioId: string, onMerge: (authors: string) => void) {
  const { me } = useStudio();
  const [store] = useState(() => openStore(post, studioId, `post-edits ${me.user.id} ${post.id}`, onMerge));
  const state = useSyncExternalStore(store.subscribe, store.getState);
  useEffect(() => store.receive(post), [store, post]);

  const unsaved = useMemo(() => listUnsaved(state.post, state.edits), [state.post, state.edits]);
  const isUnsaved = unsaved.length > 0;
  // Leaving the web app asks first; opening another page of it saves first (use-save-on-leave.ts).
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const confirmLeave = (event: BeforeUnloadEvent): void => {
      if (!isRedirecting()) event.preventDefault();
    };
    window.addEventListener("beforeunload", confirmLeave);
    return () => window.removeEventListener("beforeunload", confirmLeave);
  }, [isUnsaved]);

  const { edit, resolve, save, change } = store;
  const conflicts = unsaved.filter(({ hasConflict }) => hasConflict);
  return {
    ...state,
    isUnsaved,
    conflicts,
    /** Whether the user must choose between two versions. */
    hasConflict: conflicts.length > 0,
    title: getShownValue(state, "title") as string,
    body: getShownValue(state, "body") as string,
    tags: getShownValue(state, "tags") as readonly string[],
    /** The text of an account; undefined if the account gets the post's text. */
    getOwnText: (connectionId: string) => getShownValue(state, getTextField(connectionId)) as string | undefined,
    edit,
    resolve,
    save,
    change,
    saveStatus: (status: PostStatus) => change(() => saveEdit({ studioId, postId: post.id }, { status })),
    /** Takes in a version that the server returned to a request of another component. */
    accept: (returnedPost: Post) => {
      store.receive(returnedPost);
      cachePost(studioId, returnedPost);
    },
  };
}

function openStore(post: Post, studioId: string, keptKey: string, onMerge: (authors: string) => void): PostStore<Post> {
  const param = { studioId, postId: post.id };
  const query = postQuery(studioId, post.id);
  const server = {
    save: (json: Parameters<typeof saveEdit>[1]): Promise<Post> => saveEdit(param, json),
    read: () => queryClient.query({ ...query, staleTime: 0 }),
    isConflict: (error: unknown) => error instanceof ApiError && error.code === "revision_conflict",
  };
  return createPostStore(post, readKeptEdits(keptKey), server, {
    onPost: (savedPost) => cachePost(studioId, savedPost),
    keepEdits: (edits) => keepEdits(keptKey, edits),
    onMerge: (before, after) => {
      // If the names can't be read, the merge is reported without them.
      queryClient.query(changesSinceQuery(studioId, post.id, before.revision, after.revision)).then(
        (changes) => {
          // The merged edits may have been saved meanwhile.
          const mergedChanges = changes.filter(({ revision }) => revision <= after.revision);
          onMerge(mergedChanges.length === 0 ? "another member" : formatActors(mergedChanges));
        },
        () => onMerge("another member"),
      );
    },
  });
}

/** The response to a change omits the publications; the next request updates them. */
const cachePost = (studioId: string, post: Post): void => {
  queryClient.setQueryData(postQuery(studioId, post.id).queryKey, (cachedPost) =>
    cachedPost && cachedPost.revision > post.revision
      ? cachedPost
      : { ...post, publications: post.publications ?? cachedPost?.publications },
  );
};
