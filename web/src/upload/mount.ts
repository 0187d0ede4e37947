import type { RemoteFile } from "./client.ts";
import { toFileLimit } from "./file-limit.ts";
import { createUploaderUi, type UploaderUi } from "./ui.ts";
import { loadLanguage } from "./languages.ts";
import { tryLoadLinkDetails } from "./load-link-details.ts";
import { toLibraryStrings } from "./strings.ts";
import { createUploader } from "./uploader.ts";

export interface MountOptions {
  /** Returns the token of an upload link for new files: the page's own, or one created on demand. */
  getUploadLinkToken: () => Promise<string>;
  /** The token of an upload link whose files are listed at once and resume if possible. */
  previousToken?: string | undefined;
  /** The URL that the phone dialog shows as a QR code. */
  phoneUrl?: string | undefined;
  languages?: readonly string[];
  onUploaded?: ((file: RemoteFile) => void) | undefined;
}

export interface MountedUploader {
  destroy(): void;
}

/** Mounts the uploader in an element, on the upload page or in the web app. */
export function mountUploader(root: HTMLElement, options: MountOptions): MountedUploader {
  let currentToken = options.previousToken;
  const uploader = createUploader({
    ...options,
    async getUploadLinkToken() {
      const token = await options.getUploadLinkToken();
      if (token !== currentToken) scheduleLimitRefresh();
      currentToken = token;
      return token;
    },
  });
  let ui: UploaderUi | undefined;
  let isDestroyed = false;
  let expiryTimer: ReturnType<typeof setTimeout> | undefined;
  let limitTimer: ReturnType<typeof setTimeout> | undefined;
  let previousFailedCount = 0;

  /** Other users may have added files to the post or removed some. */
  function scheduleLimitRefresh(): void {
    limitTimer ??= setTimeout(() => {
      limitTimer = undefined;
      void refreshLimit();
    }, 300);
  }

  async function refreshLimit(): Promise<void> {
    const token = currentToken;
    const linkDetails = token === undefined ? undefined : await tryLoadLinkDetails(token);
    if (token !== undefined && linkDetails && !isDestroyed)
      ui?.setLimit(toFileLimit(linkDetails, token, uploader.getItems()));
  }

  const unsubscribe = uploader.subscribe(() => {
    const { failedCount } = uploader.getSummary();
    if (failedCount > previousFailedCount) scheduleLimitRefresh();
    previousFailedCount = failedCount;
  });

  async function start(): Promise<void> {
    const [{ strings: postStrings, ...language }, linkDetails] = await Promise.all([
      loadLanguage(options.languages ?? navigator.languages),
      options.previousToken === undefined ? undefined : tryLoadLinkDetails(options.previousToken),
    ]);
    if (isDestroyed) return;
    const isForLibrary = linkDetails?.post === null;
    const strings = isForLibrary ? toLibraryStrings(postStrings) : postStrings;
    const createdUi = createUploaderUi(root, {
      uploader,
      language: { ...language, strings },
      accepts: linkDetails?.accepts ?? [],
      phoneUrl: options.phoneUrl,
    });
    ui = createdUi;
    if (!linkDetails || options.previousToken === undefined) return;
    await uploader.restore(options.previousToken, linkDetails.files);
    createdUi.setLimit(toFileLimit(linkDetails, options.previousToken, uploader.getItems()));
    const remainingMs = Date.parse(linkDetails.expiresAt) - Date.now();
    expiryTimer = setTimeout(() => createdUi.showNotice(strings.linkExpired), Math.max(0, remainingMs));
  }

  void start();
  return {
    destroy() {
      isDestroyed = true;
      clearTimeout(expiryTimer);
      clearTimeout(limitTimer);
      unsubscribe();
      ui?.destroy();
      uploader.destroy();
    },
  };
}
