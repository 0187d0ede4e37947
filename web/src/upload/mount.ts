import { createUploadClient, RequestError, type RemoteFile, type UploadLinkDetails } from "./client.ts";
import { createUploaderUi, type UploaderUi } from "./ui.ts";
import { loadLanguage } from "./languages.ts";
import { toLibraryStrings } from "./strings.ts";
import { createUploader } from "./uploader.ts";

export interface MountOptions {
  /** Returns the token of an upload link for new files: the page's own, or one created on demand. */
  getUploadLinkToken: () => Promise<string>;
  /** The token of an upload link whose files are listed at once and resume if possible. */
  previousToken?: string | undefined;
  /** The URL that the phone dialog shows as a QR code. */
  phoneUrl?: string | undefined;
  /** Whether files go to the library; by default, the link of `previousToken` determines it. */
  isForLibrary?: boolean | undefined;
  languages?: readonly string[];
  onUploaded?: ((file: RemoteFile) => void) | undefined;
}

export interface MountedUploader {
  destroy(): void;
}

/** Mounts the uploader in an element, on the upload page or in the web app. */
export function mountUploader(root: HTMLElement, options: MountOptions): MountedUploader {
  const uploader = createUploader(options);
  let ui: UploaderUi | undefined;
  let isDestroyed = false;
  let expiryTimer: ReturnType<typeof setTimeout> | undefined;

  async function start(): Promise<void> {
    const [{ strings: postStrings, ...language }, linkDetails] = await Promise.all([
      loadLanguage(options.languages ?? navigator.languages),
      options.previousToken === undefined ? undefined : loadLinkDetails(options.previousToken),
    ]);
    if (isDestroyed) return;
    const isForLibrary = options.isForLibrary ?? linkDetails?.post === null;
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
    const remainingMs = Date.parse(linkDetails.expiresAt) - Date.now();
    expiryTimer = setTimeout(() => createdUi.showNotice(strings.linkExpired), Math.max(0, remainingMs));
  }

  void start();
  return {
    destroy() {
      isDestroyed = true;
      clearTimeout(expiryTimer);
      ui?.destroy();
      uploader.destroy();
    },
  };
}

/** Returns undefined if the request fails; the first upload then shows the reason. */
async function loadLinkDetails(token: string): Promise<UploadLinkDetails | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await createUploadClient(token).getLinkDetails();
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isTransient || attempt >= 2) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
    }
  }
}
