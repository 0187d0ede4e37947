import { useEffect, useRef, useSyncExternalStore } from "react";
import { useToast } from "../ui/Toasts.tsx";
import { createLazyUploader, type LazyUploader } from "./lazy-uploader.ts";
import { useUploaderRegistry, type UploadHandlers, type UploadSnapshot } from "./uploader-registry.tsx";
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
    /** Identifies the post or library, in the registry and in the session storage. */
    storageKey: string;
    isEnabled: boolean;
    /** Called with the names of files that are already being uploaded. */
    onDuplicates: (names: readonly string[]) => void;
  },
): Uploads {
  const { storageKey, isEnabled } = options;
  const registry = useUploaderRegistry();
  const uploader = useRef<LazyUploader>(undefined);
  const showToast = useToast();
  const snapshot = useSyncExternalStore(registry.subscribe, () => registry.getSnapshot(storageKey));
  // Uploads call these even after the component is unmounted.
  const handlers = useRef<UploadHandlers>(options);
  useEffect(() => void (handlers.current = options));

  useEffect(() => {
    if (!isEnabled) return undefined;
    const visibleUploads = registry.show(storageKey, handlers, ({ getHandlers, onChange }) => {
      const createdUploader = createLazyUploader({
        getUploadLinkToken: async () => {
          const { token } = await getHandlers().createLink();
          storeTokens(storageKey, [...readTokens(storageKey), token]);
          return token;
        },
        onUploaded: (file, remove) => getHandlers().onUploaded(file, remove),
        onChange,
      });
      for (const token of readTokens(storageKey)) void restoreUploads(createdUploader, storageKey, token);
      return createdUploader;
    });
    uploader.current = visibleUploads.uploader;
    return () => {
      uploader.current = undefined;
      visibleUploads.hide();
    };
  }, [registry, storageKey, isEnabled]);

  return {
    ...snapshot,
    add: (chosenFiles) =>
      void uploader.current
        ?.withUploader(({ add }) => {
          const duplicateNames = add(chosenFiles);
          if (duplicateNames.length > 0) options.onDuplicates(duplicateNames);
        })
        .catch(() => showToast({ text: "The files couldn’t be added. Check your connection and try again." })),
    pause: (key) => void uploader.current?.withUploader(({ pause }) => pause(key)),
    resume: (key) => void uploader.current?.withUploader(({ resume }) => resume(key)),
    cancel: (key) => void uploader.current?.withUploader(({ cancel }) => cancel(key)),
  };
}

/** The tokens of the links that this tab has created, until they have nothing to restore. */
const readTokens = (storageKey: string): string[] => sessionStorage.getItem(storageKey)?.split(" ") ?? [];

/** Anyone with a token can upload, so it is kept only until the tab closes. */
function storeTokens(storageKey: string, tokens: readonly string[]): void {
  if (tokens.length > 0) sessionStorage.setItem(storageKey, tokens.join(" "));
  else sessionStorage.removeItem(storageKey);
}

/** Deletes the stored token of a link that has nothing to restore. */
async function restoreUploads(uploader: LazyUploader, storageKey: string, token: string): Promise<void> {
  try {
    const hasUploads = await uploader.restore(token);
    if (hasUploads) return;
    storeTokens(
      storageKey,
      readTokens(storageKey).filter((other) => other !== token),
    );
  } catch {
    // Without a connection, the uploads are restored when the page is opened again.
  }
}
