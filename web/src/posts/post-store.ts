import {
  getSavedValue,
  isSameValue,
  listUnsaved,
  markSent,
  rebaseEdits,
  settleEdits,
  toPostChange,
  type EditedPost,
  type Edits,
  type Field,
  type Value,
} from "./post-edits.ts";

/** `conflict`: the user must choose between two versions; `failed`: some edits are not saved and will be sent again. */
export type SaveResult = "saved" | "conflict" | "failed";

interface PostState<Post> {
  /** The newest version of the server. */
  post: Post;
  edits: Edits;
  isSaving: boolean;
  error: unknown;
  /** Fields that a change from elsewhere has just updated, to be highlighted. */
  updatedFields: readonly Field[];
}

interface Server<Post extends EditedPost> {
  save: (
    change: ReturnType<typeof toPostChange<Post>> & { revision: number; keepsPreviousRevision: boolean },
  ) => Promise<Post>;
  read: () => Promise<Post>;
  /** Whether the post had another revision than the change named. */
  isConflict: (error: unknown) => boolean;
}

interface Listeners<Post> {
  /** The server returned a version that nothing else has read. */
  onPost: (post: Post) => void;
  /** Changes from elsewhere were merged with unsaved edits. */
  onMerge: (before: Post, after: Post) => void;
  /** Keeps unsaved edits on the device; undefined if everything is saved. */
  keepEdits: (edits: Edits | undefined) => void;
}

/** The delay between the last keystroke and saving. */
const autosaveDelayMs = 700;
const retryDelayMs = 4000;
const highlightDurationMs = 4000;

export type PostStore<Post extends OpenPost> = ReturnType<typeof createPostStore<Post>>;

/** Responses to changes omit the publications. */
type OpenPost = EditedPost & { publications?: unknown };

/**
 * The open post: the server's version, and the edits of the user on top of it. Saves them by itself while it has
 * subscribers, one request at a time, and merges what others change meanwhile.
 */
export function createPostStore<Post extends OpenPost>(
  firstPost: Post,
  keptEdits: Edits,
  server: Server<Post>,
  listeners: Listeners<Post>,
) {
  let state: PostState<Post> = {
    post: firstPost,
    edits: rebaseEdits(firstPost, keptEdits),
    isSaving: false,
    error: undefined,
    updatedFields: [],
  };
  const subscribers = new Set<() => void>();
  let lastCall: Promise<unknown> = Promise.resolve();
  let callCount = 0;
  /** A version that arrived during a request, and may be the result of this request. */
  let waitingPost: Post | undefined;
  let hasSaved = false;
  let saveTimer: ReturnType<typeof setTimeout> | undefined;
  let highlightTimer: ReturnType<typeof setTimeout> | undefined;

  function patch(change: Partial<PostState<Post>>): void {
    const { edits } = state;
    state = { ...state, ...change };
    if (state.edits !== edits) listeners.keepEdits(isUnsaved() ? state.edits : undefined);
    planSave();
    for (const notify of subscribers) notify();
  }

  const listSendable = () => listUnsaved(state.post, state.edits).filter(({ hasConflict }) => !hasConflict);
  const isUnsaved = (): boolean => listUnsaved(state.post, state.edits).length > 0;

  function getResult(): SaveResult {
    const unsaved = listUnsaved(state.post, state.edits);
    if (unsaved.length === 0) return "saved";
    return unsaved.some(({ hasConflict }) => !hasConflict) ? "failed" : "conflict";
  }

  function planSave(): void {
    clearTimeout(saveTimer);
    if (subscribers.size === 0 || state.isSaving || listSendable().length === 0) return;
    saveTimer = setTimeout(() => void save(), state.error === undefined ? autosaveDelayMs : retryDelayMs);
  }

  /** Runs after the calls before it, because each one needs the revision that the previous one created. */
  async function inOrder<T>(run: () => Promise<T>): Promise<T> {
    callCount++;
    patch({ isSaving: true });
    const call = lastCall.then(run);
    lastCall = call.catch(() => {});
    try {
      return await call;
    } finally {
      callCount--;
      if (callCount === 0) {
        const post = waitingPost;
        waitingPost = undefined;
        patch({ isSaving: false });
        if (post) receive(post);
      }
    }
  }

  async function sendEdits(): Promise<SaveResult> {
    const { post } = state;
    const sentEdits = listSendable();
    if (sentEdits.length === 0) return getResult();
    patch({ edits: markSent(state.edits, sentEdits) });
    const keepsPreviousRevision = !hasSaved || sentEdits.some(removesMuchText);
    try {
      const change = { ...toPostChange(post, sentEdits), revision: post.revision, keepsPreviousRevision };
      const savedPost = await server.save(change);
      hasSaved = true;
      patch({
        post: keepPublications(savedPost, post),
        edits: settleEdits(savedPost, state.edits, sentEdits),
        error: undefined,
      });
      listeners.onPost(state.post);
      return getResult();
    } catch (error) {
      if (!server.isConflict(error)) {
        patch({ error });
        return "failed";
      }
    }
    try {
      takeIn(await server.read());
      patch({ error: undefined });
    } catch (error) {
      patch({ error });
      return "failed";
    }
    // Send again now: after the user has left the page, no timer would.
    return state.post.revision > post.revision ? sendEdits() : getResult();
  }

  const save = async (): Promise<SaveResult> =>
    callCount === 0 && listSendable().length === 0 ? getResult() : inOrder(sendEdits);

  /** Takes in a version that was read. Versions can arrive in another order than the server had them. */
  function receive(post: Post): void {
    if (state.isSaving) {
      if (post.revision >= (waitingPost ?? state.post).revision) waitingPost = post;
    } else takeIn(post);
  }

  function takeIn(post: Post): void {
    if (post.revision < state.post.revision) return;
    const before = state;
    const edits = rebaseEdits(post, before.edits);
    const fields = (["title", "body"] as const).filter(
      (field) => !isSameValue(getShownValue(before, field), getShownValue({ post, edits }, field)),
    );
    const wasUnsaved = isUnsaved();
    patch({ post: keepPublications(post, before.post), edits });
    if (fields.length === 0) return;
    if (wasUnsaved) listeners.onMerge(before.post, post);
    patch({ updatedFields: fields });
    clearTimeout(highlightTimer);
    highlightTimer = setTimeout(() => patch({ updatedFields: [] }), highlightDurationMs);
  }

  return {
    getState: (): PostState<Post> => state,
    subscribe: (notify: () => void): (() => void) => {
      subscribers.add(notify);
      planSave();
      return () => {
        subscribers.delete(notify);
        if (subscribers.size > 0) return;
        clearTimeout(saveTimer);
        clearTimeout(highlightTimer);
        void save();
      };
    },
    receive,
    save,
    edit: (field: Field, value: Value): void => {
      const { post, edits } = state;
      const start = edits[field] ?? { base: getSavedValue(post, field), revision: post.revision };
      const newEdits = { ...edits, [field]: { ...start, value } };
      // During a request, the server may already have another value.
      patch({ edits: state.isSaving ? newEdits : rebaseEdits(post, newEdits) });
    },
    /** Resolves a conflict: this value is an edit of the version of the server. */
    resolve: (field: Field, value: Value): void => {
      const { post, edits } = state;
      const edit = { value, base: getSavedValue(post, field), revision: post.revision };
      patch({ edits: rebaseEdits(post, { ...edits, [field]: edit }) });
    },
    /** Sends another change of the post after the edits before it, and takes in the version that the server returns. */
    change: (send: () => Promise<Post>): Promise<void> =>
      inOrder(async () => {
        const post = await send();
        takeIn(post);
        listeners.onPost(state.post);
      }),
  };
}

/** The value that the page shows. */
export const getShownValue = ({ post, edits }: { post: EditedPost; edits: Edits }, field: Field): Value => {
  const edit = edits[field];
  return edit ? edit.value : getSavedValue(post, field);
};

/** Whether less than half of a text is left. Typing and corrections remove little at a time. */
function removesMuchText({ value, base }: { value: Value; base: Value }): boolean {
  if (typeof base !== "string" || typeof value !== "string") return false;
  const maxLength = Math.min(base.length, value.length);
  let start = 0;
  while (start < maxLength && base[start] === value[start]) start++;
  let end = 0;
  while (end < maxLength - start && base.at(-1 - end) === value.at(-1 - end)) end++;
  return base.length >= 40 && start + end < base.length / 2;
}

/** The response to a change omits the publications; the next request updates them. */
const keepPublications = <Post extends OpenPost>(post: Post, before: Post): Post => ({
  ...post,
  publications: post.publications ?? before.publications,
});
