import { useEffect, useRef, useSyncExternalStore } from "react";
import { useToast } from "../ui/Toasts.tsx";
import { createUploadSession, type UploadSession } from "./upload-session.ts";
import { useUploadSessions, type UploadHandlers, type UploadSnapshot } from "./upload-sessions.ts";
import type { ChosenFile } from "./upload-task.ts";

export interface Uploads extends UploadSnapshot {
  add: (chosenFiles: readonly ChosenFile[]) => void;
  /** Without a key, pauses all files. */
  pause: (key?: string) => void;
  /** Without a key, resumes all files. Also retries files that failed. */
  resume: (key?: string) => void;
  /** Cancels an upload, or removes a finished one from the list. */
  cancel: (key: string) => void;
}

/**
 * Uploads files for a page that shows the uploads itself. They continue while the user is on other pages of the web app,
 * and resume after a reload, until the tab closes.
 */
export function useUploader(
  options: UploadHandlers & {
    /** Identifies the post or library. */
    storageKey: string;
    isEnabled: boolean;
    /** Called with the names of files that are already being uploaded. */
    onDuplicates: (names: readonly string[]) => void;
  },
): Uploads {
  const { storageKey, isEnabled } = options;
  const sessions = useUploadSessions();
  const session = useRef<UploadSession>(undefined);
  const showToast = useToast();
  const snapshot = useSyncExternalStore(sessions.subscribe, () => sessions.getSnapshot(storageKey));
  // The uploads call these also after this component has gone.
  const handlers = useRef<UploadHandlers>(options);
  useEffect(() => void (handlers.current = options));

  useEffect(() => {
    if (!isEnabled) return undefined;
    const shown = sessions.show(storageKey, handlers, ({ getHandlers, onChange }) => {
      const createdSession = createUploadSession({
        getUploadLinkToken: async () => {
          const { token } = await getHandlers().createLink();
          // Anyone with the token can upload, so it is kept only until the tab closes.
          sessionStorage.setItem(storageKey, token);
          return token;
        },
        onUploaded: (file, remove) => getHandlers().onUploaded(file, remove),
        onChange,
      });
      const previousToken = sessionStorage.getItem(storageKey);
      if (previousToken !== null) void restoreUploads(createdSession, storageKey, previousToken);
      return createdSession;
    });
    session.current = shown.session;
    return () => {
      session.current = undefined;
      shown.hide();
    };
  }, [sessions, storageKey, isEnabled]);

  return {
    ...snapshot,
    add: (chosenFiles) =>
      void session.current
        ?.change((uploader) => {
          const duplicates = uploader.add(chosenFiles);
          if (duplicates.length > 0) options.onDuplicates(duplicates);
        })
        .catch(() => showToast({ text: "The files couldn’t be added. Check your connection and try again." })),
    pause: (key) => void session.current?.change((uploader) => uploader.pause(key)),
    resume: (key) => void session.current?.change((uploader) => uploader.resume(key)),
    cancel: (key) => void session.current?.change((uploader) => uploader.cancel(key)),
  };
}

/** Forgets a link that has nothing to restore. */
async function restoreUploads(session: UploadSession, storageKey: string, token: string): Promise<void> {
  try {
    const hasUploads = await session.restore(token);
    if (!hasUploads && sessionStorage.getItem(storageKey) === token) sessionStorage.removeItem(storageKey);
  } catch {
    // Without a connection, the uploads are restored when the page is opened again.
  }
}
