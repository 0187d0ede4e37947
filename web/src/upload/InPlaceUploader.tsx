import { useEffect, useRef } from "react";
import type { RemoteFile } from "./client.ts";
import { mountUploader } from "./mount.ts";

export interface InPlaceUploaderProps {
  /** Creates an upload link: `POST …/posts/:postId/upload-links` with `{ inPlace: true }`. */
  createToken: () => Promise<string>;
  /** An upload link from before a reload, whose files resume. */
  restoreToken?: string | undefined;
  onUploaded?: (file: RemoteFile) => void;
}

/** The uploader of the upload page, inside a page of the web app. */
export function InPlaceUploader({ createToken, restoreToken, onUploaded }: InPlaceUploaderProps) {
  const container = useRef<HTMLDivElement>(null);
  const latestCallbacks = useRef({ createToken, onUploaded });
  latestCallbacks.current = { createToken, onUploaded };

  useEffect(() => {
    if (!container.current) return;
    const mountedUploader = mountUploader(container.current, {
      createToken: () => latestCallbacks.current.createToken(),
      restoreToken,
      onUploaded: (file) => latestCallbacks.current.onUploaded?.(file),
    });
    return () => mountedUploader.destroy();
  }, [restoreToken]);

  return <div ref={container} />;
}
