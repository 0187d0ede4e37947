import type { RemoteFile } from "./client.ts";
import type { UploadSnapshot } from "./uploader-registry.tsx";
import type { Uploader } from "./uploader.ts";

/** How often progress is reported. */
const progressIntervalMs = 400;
/** Changes of many files at once are reported together. */
const changeDelayMs = 50;

export interface LazyUploader {
  /** Loads the uploader with the first call. Rejects if it can't be loaded; the next call tries again. */
  withUploader: (apply: (uploader: Uploader) => void) => Promise<void>;
  /**
   * Resumes the unfinished uploads of a link. Finished files are already listed on the post or in the library. Resolves
   * to false if no upload is unfinished, or if the link is no longer valid.
   */
  restore: (token: string) => Promise<boolean>;
  end: () => void;
}

/** Creates the uploader of a post or of the library. Its code is loaded with the first file. */
export function createLazyUploader({
  getUploadLinkToken,
  onUploaded,
  onChange,
}: {
  getUploadLinkToken: () => Promise<string>;
  onUploaded: (file: RemoteFile, remove: () => void) => void;
  onChange: (snapshot: UploadSnapshot) => void;
}): LazyUploader {
  let uploaderPromise: Promise<Uploader> | undefined;
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
          reportSnapshot(uploader);
        }),
    });
    uploader.subscribe(() => (changeTimer ??= setTimeout(() => reportSnapshot(uploader), changeDelayMs)));
    progressTimer = setInterval(
      () => uploader.getSummary().state === "sending" && reportSnapshot(uploader),
      progressIntervalMs,
    );
    return uploader;
  }

  function reportSnapshot(uploader: Uploader): void {
    clearTimeout(changeTimer);
    changeTimer = undefined;
    if (isEnded) return;
    // Copies, because the uploader changes its items in place.
    onChange({ items: uploader.getItems().map((item) => ({ ...item })), summary: uploader.getSummary() });
  }

  async function withUploader(apply: (uploader: Uploader) => void | Promise<void>): Promise<void> {
    uploaderPromise ??= load().catch((error: unknown) => {
      uploaderPromise = undefined;
      throw error;
    });
    const uploader = await uploaderPromise;
    if (isEnded) return;
    await apply(uploader);
    reportSnapshot(uploader);
  }

  return {
    withUploader,
    async restore(token) {
      const { loadLinkDetails } = await import("./load-link-details.ts");
      const linkDetails = await loadLinkDetails(token);
      const files = linkDetails?.files.filter(({ status }) => status === "pending") ?? [];
      if (files.length > 0 && !isEnded) await withUploader((uploader) => uploader.restore(token, files));
      return files.length > 0;
    },
    end() {
      isEnded = true;
      clearTimeout(changeTimer);
      clearInterval(progressTimer);
      uploaderPromise?.then(
        (uploader) => {
          clearInterval(progressTimer);
          uploader.destroy();
        },
        () => {},
      );
    },
  };
}
