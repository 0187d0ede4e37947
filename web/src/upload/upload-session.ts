import type { RemoteFile } from "./client.ts";
import type { UploadSnapshot } from "./upload-sessions.ts";
import type { Uploader } from "./uploader.ts";

/** How often the progress is shown. */
const progressMs = 400;
/** Changes of many files at once are shown together. */
const changeMs = 50;

export interface UploadSession {
  /** Loads the uploader with the first call. Rejects if it can't be loaded; the next call tries again. */
  change: (apply: (uploader: Uploader) => void) => Promise<void>;
  /**
   * Continues the unfinished uploads of a link. The others are files of the post or the library. Resolves with false if
   * there are none, or the link is no longer valid.
   */
  restore: (token: string) => Promise<boolean>;
  end: () => void;
}

/** Uploads files of one page. The code that sends files is loaded with the first file. */
export function createUploadSession({
  getUploadLinkToken,
  onUploaded,
  onChange,
}: {
  getUploadLinkToken: () => Promise<string>;
  onUploaded: (file: RemoteFile, remove: () => void) => void;
  onChange: (snapshot: UploadSnapshot) => void;
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
      const { loadValidLink } = await import("./load-link-details.ts");
      const link = await loadValidLink(token);
      const files = link?.files.filter(({ status }) => status === "pending") ?? [];
      if (files.length > 0 && !isEnded) await change((uploader) => uploader.restore(token, files));
      return files.length > 0;
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
