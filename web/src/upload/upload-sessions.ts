import { createContext, use } from "react";
import type { RemoteFile } from "./client.ts";
import type { UploadSession } from "./upload-session.ts";
import type { UploadItem, UploadSummary } from "./upload-task.ts";

/** Where the files go: to a post, or without one to the library. */
export interface UploadTarget {
  studioId: string;
  post?: { id: string; title: string };
}

/** What the uploads of a page need from it, also after the user has left it. */
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

type CreateSession = (options: {
  getHandlers: () => UploadHandlers;
  onChange: (snapshot: UploadSnapshot) => void;
}) => UploadSession;

/** The uploads of all pages. They continue while the user is on other pages of the web app. */
export interface UploadSessions {
  /** Returns the session with this key for the page that shows it; `hide` must be called when the user leaves the page. */
  show(
    key: string,
    handlers: { current: UploadHandlers },
    createSession: CreateSession,
  ): { session: UploadSession; hide: () => void };
  /** Stops the uploads. They resume when their page is opened again. */
  end(key: string): void;
  /** Stops the uploads of a deleted post. The server has withdrawn their link, so it is not used again. */
  discard(key: string): void;
  isUploading(key: string): boolean;
  getSnapshot(key: string): UploadSnapshot;
  listBackground(): readonly BackgroundUpload[];
  subscribe(listener: () => void): () => void;
}

const noUploads: UploadSnapshot = { items: [], summary: undefined };

/** Identifies the uploads to a post. */
export const getPostUploadsKey = (postId: string): string => `atelier upload ${postId}`;

interface Entry {
  session: UploadSession;
  handlers: { current: UploadHandlers };
  snapshot: UploadSnapshot;
  isShown: boolean;
}

/** `onFinished` is called when the last file of a page that the user has left is uploaded. */
export function createUploadSessions(onFinished: (target: UploadTarget) => void): UploadSessions {
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
    entries.get(key)?.session.end();
    if (entries.delete(key)) notify();
  }

  function update(key: string, entry: Entry, snapshot: UploadSnapshot): void {
    entry.snapshot = snapshot;
    const state = snapshot.summary?.state;
    if (entry.isShown || (state !== "done" && state !== "empty")) return notify();
    end(key);
    onFinished(entry.handlers.current.target);
  }

  function addEntry(key: string, handlers: Entry["handlers"], createSession: CreateSession): Entry {
    const session = createSession({
      getHandlers: () => entry.handlers.current,
      onChange: (snapshot) => update(key, entry, snapshot),
    });
    const entry: Entry = { session, handlers, snapshot: noUploads, isShown: true };
    entries.set(key, entry);
    return entry;
  }

  const isUploading = (key: string): boolean => entries.get(key)?.snapshot.summary?.state === "sending";

  return {
    show(key, handlers, createSession) {
      const entry = entries.get(key) ?? addEntry(key, handlers, createSession);
      entry.handlers = handlers;
      entry.isShown = true;
      notify();
      return {
        session: entry.session,
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
    getSnapshot: (key) => entries.get(key)?.snapshot ?? noUploads,
    listBackground: () => background,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const UploadSessionsContext = createContext<UploadSessions | undefined>(undefined);

export function useUploadSessions(): UploadSessions {
  const sessions = use(UploadSessionsContext);
  if (!sessions) throw new Error("useUploadSessions needs an UploadSessionsProvider");
  return sessions;
}
