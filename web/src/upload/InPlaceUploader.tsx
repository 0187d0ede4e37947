import { useEffect, useRef, useState } from "react";
import type { RemoteFile } from "./client.ts";
import { mountUploader } from "./mount.ts";

export interface InPlaceUploaderProps {
  /** Creates an upload link for this page's own uploads. */
  createLink: () => Promise<{ token: string }>;
  /** Identifies the post or library, so that its uploads resume after a reload. */
  storageKey: string;
  isForLibrary?: boolean;
  onUploaded?: (file: RemoteFile) => void;
}

/** Shows the upload page's uploader inside a page of the web app. */
export function InPlaceUploader({ createLink, storageKey, isForLibrary = false, onUploaded }: InPlaceUploaderProps) {
  const container = useRef<HTMLDivElement>(null);
  const latestCallbacks = useRef({ createLink, onUploaded });
  latestCallbacks.current = { createLink, onUploaded };
  // Anyone with the token can upload, so it is kept only until the tab closes.
  const [previousToken] = useState(() => sessionStorage.getItem(storageKey) ?? undefined);

  useEffect(() => {
    if (!container.current) return;
    const mountedUploader = mountUploader(container.current, {
      async getUploadLinkToken() {
        const { token } = await latestCallbacks.current.createLink();
        sessionStorage.setItem(storageKey, token);
        return token;
      },
      previousToken,
      isForLibrary,
      onUploaded: (file) => latestCallbacks.current.onUploaded?.(file),
    });
    return () => mountedUploader.destroy();
  }, [previousToken, storageKey, isForLibrary]);

  return <div ref={container} />;
}
