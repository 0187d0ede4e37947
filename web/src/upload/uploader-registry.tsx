import { createContext, use, useState, type ReactNode } from "react";
import { useToast } from "../ui/Toasts.tsx";
import type { RemoteFile } from "./client.ts";
import type { LazyUploader } from "./lazy-uploader.ts";
import type { UploadItem, UploadSummary } from "./upload-task.ts";

/** Where the files go: to a post, or to the library if there is none. */
export interface UploadTarget {
  studioId: string;
  post?: { id: string; title: string };
}

/** What the uploads of a page need from it, even after the user has left it. */
export interface UploadHandlers {
  target: UploadTarget;
  /** Creates an upload link for the page's own uploads. */
  createLink: () => Promise<{ token: string }>;
  /** `remove` removes the finished upload from the list. */
  onUploaded: (file: RemoteFile, remove: () => void) => void;
}

export interface UploadSnapshot {
  items: readonly UploadItem[];
  /** Undefined until the first upload. */
  summary: UploadSummary | undefined;
}

/** Uploads whose page the user has left. */
export interface BackgroundUpload {
  key: string;
  target: UploadTarget;
  summary: UploadSummary;
}

type CreateUploader = (options: {
  getHandlers: () => UploadHandlers;
  onChange: (snapshot: UploadSnapshot) => void;
}) => LazyUploader;

/** The uploaders of all posts and libraries. They continue while the user is on other pages of the web app. */
interface UploaderRegistry {
  /** Returns the uploader for the page that shows its uploads. The page must call `hide` when the user leaves it. */
  show(
    key: string,
    handlers: { current: UploadHandlers },
    createUploader: CreateUploader,
  ): { uploader: LazyUploader; hide: () => void };
  /** Stops the uploads. They resume when their page is opened again. */
  end(key: string): void;
  /** Stops the uploads of a deleted post. The server has withdrawn their link, so it is not used again. */
  discard(key: string): void;
  isUploading(key: string): boolean;
  /** Whether any files are being sent, on the open page or in the background. */
  isAnyUploading(): boolean;
  getSnapshot(key: string): UploadSnapshot;
  listBackground(): readonly BackgroundUpload[];
  subscribe(listener: () => void): () => void;
}

const noUploads: UploadSnapshot = { items: [], summary: undefined };

/** Identifies the uploads to a post. */
export const getPostUploadsKey = (postId: string): string => `atelier upload ${postId}`;

interface Entry {
  uploader: LazyUploader;
  handlers: { current: UploadHandlers };
  snapshot: UploadSnapshot;
  isShown: boolean;
}

/** `onFinished` is called when the last file of a page that the user has left is uploaded. */
function createUploaderRegistry(onFinished: (target: UploadTarget) => void): UploaderRegistry {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  let background: readonly BackgroundUpload[] = [];

  function notify(): void {
    background = [...entries].flatMap(
      ([
        key,
        {
          isShown,
          handlers,
          snapshot: { summary },
        },
      ]) => (isShown || !summary ? [] : { key, target: handlers.current.target, summary }),
    );
    for (const listener of listeners) listener();
  }

  function end(key: string): void {
    entries.get(key)?.uploader.end();
    if (entries.delete(key)) notify();
  }

  function update(key: string, entry: Entry, snapshot: UploadSnapshot): void {
    entry.snapshot = snapshot;
    const state = snapshot.summary?.state;
    if (entry.isShown || (state !== "done" && state !== "empty")) return notify();
    end(key);
    onFinished(entry.handlers.current.target);
  }

  function addEntry(key: string, handlers: Entry["handlers"], createUploader: CreateUploader): Entry {
    const uploader = createUploader({
      getHandlers: () => entry.handlers.current,
      onChange: (snapshot) => update(key, entry, snapshot),
    });
    const entry: Entry = { uploader, handlers, snapshot: noUploads, isShown: true };
    entries.set(key, entry);
    return entry;
  }

  const isUploading = (key: string): boolean => entries.get(key)?.snapshot.summary?.state === "sending";

  return {
    show(key, handlers, createUploader) {
      const entry = entries.get(key) ?? addEntry(key, handlers, createUploader);
      entry.handlers = handlers;
      entry.isShown = true;
      notify();
      return {
        uploader: entry.uploader,
        hide() {
          if (entries.get(key) !== entry) return;
          entry.isShown = false;
          if (isUploading(key)) notify();
          else end(key);
        },
      };
    },
    end,
    discard(key) {
      sessionStorage.removeItem(key);
      end(key);
    },
    isUploading,
    isAnyUploading: () => [...entries.keys()].some(isUploading),
    getSnapshot: (key) => entries.get(key)?.snapshot ?? noUploads,
    listBackground: () => background,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const UploaderRegistryContext = createContext<UploaderRegistry | undefined>(undefined);

export function useUploaderRegistry(): UploaderRegistry {
  const registry = use(UploaderRegistryContext);
  if (!registry) throw new Error("useUploaderRegistry needs an UploaderRegistryProvider");
  return registry;
}

/** Keeps uploads running while the user moves between pages of the web app. */
export function UploaderRegistryProvider({ children }: { children: ReactNode }) {
  const showToast = useToast();
  const [registry] = useState(() =>
    createUploaderRegistry(({ post }) =>
      showToast({ text: `All files are uploaded to ${post ? `“${post.title}”` : "the library"}.` }),
    ),
  );
  return <UploaderRegistryContext value={registry}>{children}</UploaderRegistryContext>;
}
