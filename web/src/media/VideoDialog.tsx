import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { VideoPlayer } from "../assets/VideoPlayer.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";

/** Plays a video of a post. */
export function VideoDialog({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const [hasFailed, setHasFailed] = useState(false);
  return (
    <Dialog title={asset.filename} closesOnBackdropClick onClose={onClose}>
      {hasFailed ? (
        <p className="mt-4" role="alert">
          This browser can’t play the video.{" "}
          <a href={asset.url} target="_blank" rel="noopener noreferrer">
            Open the file
          </a>{" "}
          to play it in another app.
        </p>
      ) : (
        <VideoPlayer
          asset={asset}
          className="mt-4 max-h-[65dvh] w-full rounded-sm bg-black"
          autoPlay
          onError={() => setHasFailed(true)}
        />
      )}
      <p className="mt-5 flex justify-end">
        <Button variant="secondary" onClick={onClose}>
          Close
        </Button>
      </p>
    </Dialog>
  );
}
