import { createUploadClient, RequestError, type RemoteFile, type UploadSession } from "./client.ts";
import { createUploaderUi, type UploaderUi } from "./ui.ts";
import { loadLanguage } from "./languages.ts";
import { createUploader } from "./uploader.ts";

export interface MountOptions {
  /** A link that takes new files: the page's own, or one that is made when it is needed. */
  createToken: () => Promise<string>;
  /** A link whose files are shown from the start, and go on where they can. */
  restoreToken?: string | undefined;
  /** The address to continue at on a phone. */
  phoneUrl?: string | undefined;
  languages?: readonly string[];
  onUploaded?: ((file: RemoteFile) => void) | undefined;
}

export interface MountedUploader {
  destroy(): void;
}

/** The whole uploader in an element: for the upload page, and for every page that takes files in place. */
export function mountUploader(root: HTMLElement, options: MountOptions): MountedUploader {
  const uploader = createUploader(options);
  let ui: UploaderUi | undefined;
  let isDestroyed = false;
  let expiryTimer: ReturnType<typeof setTimeout> | undefined;

  async function start(): Promise<void> {
    const [language, session] = await Promise.all([
      loadLanguage(options.languages ?? navigator.languages),
      options.restoreToken === undefined ? undefined : loadSession(options.restoreToken),
    ]);
    if (isDestroyed) return;
    const createdUi = createUploaderUi(root, {
      uploader,
      language,
      accepts: session?.accepts ?? [],
      phoneUrl: options.phoneUrl,
    });
    ui = createdUi;
    if (!session || options.restoreToken === undefined) return;
    await uploader.restore(options.restoreToken, session.files);
    const remainingMs = Date.parse(session.expiresAt) - Date.now();
    expiryTimer = setTimeout(() => createdUi.showNotice(language.strings.linkExpired), Math.max(0, remainingMs));
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

/** A link that cannot be read right now shows nothing of before; sending through it tells why. */
async function loadSession(token: string): Promise<UploadSession | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await createUploadClient(token).getSession();
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isTransient || attempt >= 2) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
    }
  }
}
