import { useEffect, useRef } from "react";
import type { RemoteFile } from "./client.ts";
import { mountUploader } from "./mount.ts";
import "./uploader.css";

export interface InPlaceUploaderProps {
  /** Makes a link to the post, when files are chosen: `POST …/posts/:postId/upload-links` with `{ inPlace: true }`. */
  newToken: () => Promise<string>;
  /** A link from before a reload, whose files go on. */
  restore?: string | undefined;
  onArrived?: (file: RemoteFile) => void;
}

/** The upload page's uploader, in place: everything it can, for a page of the web app. */
export function InPlaceUploader({ newToken, restore, onArrived }: InPlaceUploaderProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ newToken, onArrived });
  latest.current = { newToken, onArrived };

  useEffect(() => {
    if (!place.current) return;
    const mounted = mountUploader(place.current, {
      token: () => latest.current.newToken(),
      restore,
      onArrived: (file) => latest.current.onArrived?.(file),
    });
    return () => mounted.destroy();
  }, [restore]);

  return <div ref={place} />;
}
