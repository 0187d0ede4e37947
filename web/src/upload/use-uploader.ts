import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useToast } from "../ui/Toasts.tsx";
import type { RemoteFile } from "./client.ts";
import type { ChosenFile, UploadItem, UploadSummary } from "./upload-task.ts";
import type { Uploader } from "./uploader.ts";

export interface Uploads {
  items: readonly UploadItem[];
  /** Undefined until the first upload. */
  summary: UploadSummary | undefined;
  /** Whether leaving the page would stop an upload. */
  isUploading: boolean;
  add: (chosenFiles: readonly ChosenFile[]) => void;
  /** Without a key, pauses all files. */
  pause: (key?: string) => void;
  /** Without a key, resumes all files. Also retries files that failed. */
  resume: (key?: string) => void;
  /** Cancels an upload, or removes a finished one from the list. */
  cancel: (key: string) => void;
}

/** How often the progress is shown. */
const progressMs = 400;
/** Changes of many files at once are shown together. */
const changeMs = 50;

const noUploads: Pick<Uploads, "items" | "summary"> = { items: [], summary: undefined };

/**
 * Uploads files for a page that shows the uploads itself. They resume after a reload, until the tab closes. The code
 * that sends files is loaded with the first file.
 */
export function useUploader(options: {
  /** Creates an upload link for this page's own uploads. */
  createLink: () => Promise<{ token: string }>;
  /** Identifies the post or library. */
  storageKey: string;
  isEnabled: boolean;
  /** `remove` removes the finished upload from the list. */
  onUploaded: (file: RemoteFile, remove: () => void) => void;
  /** Called with the names of files that are already being uploaded. */
  onDuplicates: (names: readonly string[]) => void;
}): Uploads {
  const { storageKey, isEnabled } = options;
  const [snapshot, setSnapshot] = useState(noUploads);
  const session = useRef<UploadSession>(undefined);
  const showToast = useToast();

  const createLinkToken = useEffectEvent(async () => {
    const { token } = await options.createLink();
    // Anyone with the token can upload, so it is kept only until the tab closes.
    sessionStorage.setItem(storageKey, token);
    return token;
  });
  const reportUploaded = useEffectEvent((file: RemoteFile, remove: () => void) => options.onUploaded(file, remove));

  useEffect(() => {
    if (!isEnabled) return undefined;
    const createdSession = createSession({
      getUploadLinkToken: () => createLinkToken(),
      onUploaded: (file, remove) => reportUploaded(file, remove),
      onChange: setSnapshot,
    });
    session.current = createdSession;
    const previousToken = sessionStorage.getItem(storageKey);
    // Without a connection, the uploads are restored when the page is opened again.
    if (previousToken !== null) createdSession.restore(previousToken).catch(() => {});
    return () => {
      createdSession.end();
      session.current = undefined;
      setSnapshot(noUploads);
    };
  }, [storageKey, isEnabled]);

  return {
    ...snapshot,
    isUploading: snapshot.summary?.state === "sending",
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

interface UploadSession {
  /** Loads the uploader with the first call. Rejects if it can't be loaded; the next call tries again. */
  change: (apply: (uploader: Uploader) => void) => Promise<void>;
  /** Continues the unfinished uploads of a link. The others are files of the post or the library. */
  restore: (token: string) => Promise<void>;
  end: () => void;
}

function createSession({
  getUploadLinkToken,
  onUploaded,
  onChange,
}: {
  getUploadLinkToken: () => Promise<string>;
  onUploaded: (file: RemoteFile, remove: () => void) => void;
  onChange: (snapshot: Pick<Uploads, "items" | "summary">) => void;
}): UploadSession {
  let loading: Promise<Uploader> | undefined;
  let isEnded = false;
  let changeTimer: ReturnType<typeof setTimeout> | undefined;
  let progressTimer: ReturnType<typeof setInterval> | undefined;

  async function load(): Promise<Uploader> {
    const { createUploader } = await import("./uploader.ts");
    const uploader = createUploader({
      getUploadLinkToken,
      onUploaded: (file) =>
        onUploaded(file, () => {
          const upload = uploader.getItems().find(({ id }) => id === file.id);
          if (upload?.status !== "done" || isEnded) return;
          uploader.cancel(upload.key);
          show(uploader);
        }),
    });
    uploader.subscribe(() => (changeTimer ??= setTimeout(() => show(uploader), changeMs)));
    progressTimer = setInterval(() => uploader.getSummary().state === "sending" && show(uploader), progressMs);
    return uploader;
  }

  function show(uploader: Uploader): void {
    clearTimeout(changeTimer);
    changeTimer = undefined;
    if (isEnded) return;
    // Copies, because the uploader changes its items in place.
    onChange({ items: uploader.getItems().map((item) => ({ ...item })), summary: uploader.getSummary() });
  }

  async function change(apply: (uploader: Uploader) => void | Promise<void>): Promise<void> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const uploader = await loading;
    if (isEnded) return;
    await apply(uploader);
    show(uploader);
  }

  return {
    change,
    async restore(token) {
      const { loadLinkDetails } = await import("./load-link-details.ts");
      const link = await loadLinkDetails(token);
      const files = link?.files.filter(({ status }) => status === "pending") ?? [];
      if (files.length > 0 && !isEnded) await change((uploader) => uploader.restore(token, files));
    },
    end() {
      isEnded = true;
      clearTimeout(changeTimer);
      clearInterval(progressTimer);
      loading?.then(
        (uploader) => {
          clearInterval(progressTimer);
          uploader.destroy();
        },
        () => {},
      );
    },
  };
}
