import { useEffect, useRef } from "react";
import type { RemoteFile } from "./client.ts";
import { mountUploader } from "./mount.ts";
import "./uploader.css";

export interface InPlaceUploaderProps {
  /** Makes a link to the post, when files are chosen: `POST …/posts/:postId/upload-links` with `{ inPlace: true }`. */
  createToken: () => Promise<string>;
  /** A link from before a reload, whose files go on. */
  restoreToken?: string | undefined;
  onUploaded?: (file: RemoteFile) => void;
}

/** The upload page's uploader, in place: everything it can, for a page of the web app. */
export function InPlaceUploader({ createToken, restoreToken, onUploaded }: InPlaceUploaderProps) {
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef({ newToken: createToken, onArrived: onUploaded });
  latest.current = { newToken: createToken, onArrived: onUploaded };

  useEffect(() => {
    if (!container.current) return;
    const mountedUploader = mountUploader(container.current, {
      createToken: () => latest.current.newToken(),
      restoreToken,
      onUploaded: (file) => latest.current.onArrived?.(file),
    });
    return () => mountedUploader.destroy();
  }, [restoreToken]);

  return <div ref={container} />;
}
