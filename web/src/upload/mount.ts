import { createClient, RequestError, type RemoteFile, type Session } from "./client.ts";
import { createFace, type Face } from "./face.ts";
import { loadLanguage } from "./languages.ts";
import { createUploader } from "./uploader.ts";

export interface MountOptions {
  /** A link that takes new files: the page's own, or one that is made when it is needed. */
  token: () => Promise<string>;
  /** A link whose files are shown from the start, and go on where they can. */
  restore?: string | undefined;
  /** The address to continue at on a phone. */
  phone?: string | undefined;
  languages?: readonly string[];
  onArrived?: ((file: RemoteFile) => void) | undefined;
}

export interface Mounted {
  destroy(): void;
}

/** The whole uploader in an element: for the upload page, and for every page that takes files in place. */
export function mountUploader(root: HTMLElement, options: MountOptions): Mounted {
  const uploader = createUploader(options);
  let face: Face | undefined;
  let gone = false;
  let over: ReturnType<typeof setTimeout> | undefined;

  async function begin(): Promise<void> {
    const [language, session] = await Promise.all([
      loadLanguage(options.languages ?? navigator.languages),
      options.restore === undefined ? undefined : load(options.restore),
    ]);
    if (gone) return;
    const made = createFace(root, { uploader, language, accepts: session?.accepts ?? [], phone: options.phone });
    face = made;
    if (!session || options.restore === undefined) return;
    await uploader.restore(options.restore, session.files);
    const left = Date.parse(session.expiresAt) - Date.now();
    over = setTimeout(() => made.notice(language.strings.linkOver), Math.max(0, left));
  }

  void begin();
  return {
    destroy() {
      gone = true;
      clearTimeout(over);
      face?.destroy();
      uploader.destroy();
    },
  };
}

/** A link that cannot be read right now shows nothing of before; sending through it tells why. */
async function load(token: string): Promise<Session | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await createClient(token).session();
    } catch (error) {
      if (!(error instanceof RequestError) || !error.passing || tries >= 2) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** tries));
    }
  }
}
