import { useEffect, useRef } from "react";
import type { RemoteFile } from "./client.ts";
import { mountUploader } from "./mount.ts";

export interface InPlaceUploaderProps {
  /** Creates an upload link and returns its token: `POST …/posts/:postId/upload-links` with `{ inPlace: true }`. */
  createToken: () => Promise<string>;
  /** The token of an upload link that was created before a reload; its uploads resume. */
  previousToken?: string | undefined;
  onUploaded?: (file: RemoteFile) => void;
}

/** Shows the upload page's uploader inside a page of the web app. */
export function InPlaceUploader({ createToken, previousToken, onUploaded }: InPlaceUploaderProps) {
  const container = useRef<HTMLDivElement>(null);
  const latestCallbacks = useRef({ createToken, onUploaded });
  latestCallbacks.current = { createToken, onUploaded };

  useEffect(() => {
    if (!container.current) return;
    const mountedUploader = mountUploader(container.current, {
      getUploadLinkToken: () => latestCallbacks.current.createToken(),
      previousToken,
      onUploaded: (file) => latestCallbacks.current.onUploaded?.(file),
    });
    return () => mountedUploader.destroy();
  }, [previousToken]);

  return <div ref={container} />;
}
