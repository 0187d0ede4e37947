import { useEffect, useRef, useState } from "react";
import { setCrop } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction } from "../ui/use-action.ts";
import type { CropPosition } from "./crop-window.ts";
import { findCrop } from "./get-rendition-url.ts";

/** The delay between the last move and saving, so that a series of key presses is one revision. */
const saveDelayMs = 600;
const center: CropPosition = { x: 0.5, y: 0.5 };

interface Target {
  post: Post;
  assetId: string;
  platform: string;
  onSave: (post: Post) => void;
}

/** How an image fits a platform: padded if the position is undefined, otherwise cropped there. */
export function useCrop({ post, assetId, platform, onSave }: Target) {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const savedPosition = findCrop(post, assetId, platform);
  const [initialPosition] = useState(savedPosition);
  const [pendingPosition, setPendingPosition] = useState<CropPosition>();
  const [saveCount, setSaveCount] = useState(0);
  const position = pendingPosition ?? savedPosition;
  const isSaving = isRunning || pendingPosition !== undefined;

  const save = (target: CropPosition | undefined): Promise<void> =>
    run(async () => {
      try {
        const { x, y } = target ?? center;
        onSave(await setCrop(studio.id, post.id, assetId, { platform, mode: target ? "crop" : "pad", x, y }));
        setSaveCount((count) => count + 1);
      } finally {
        // A move during the request is saved by the next one. After a failure, the saved position is shown again.
        setPendingPosition((current) => (current === target ? undefined : current));
      }
    });

  const latestSave = useRef(save);
  useEffect(() => {
    latestSave.current = save;
  });
  const unsavedPosition = useRef<CropPosition>(undefined);
  useEffect(() => {
    unsavedPosition.current = pendingPosition;
    if (!pendingPosition || isRunning) return undefined;
    const timer = setTimeout(() => void latestSave.current(pendingPosition), saveDelayMs);
    return () => clearTimeout(timer);
  }, [pendingPosition, isRunning]);
  // Closing the preview saves at once.
  useEffect(
    () => () => {
      if (unsavedPosition.current) void latestSave.current(unsavedPosition.current);
    },
    [],
  );

  return {
    position,
    error,
    isSaving,
    isSaved: !isSaving && saveCount > 0 && error === undefined,
    isChanged: !isSamePosition(position, initialPosition),
    move: setPendingPosition,
    setFit: (fit: "pad" | "crop") => void save(fit === "crop" ? center : undefined),
    /** Restores what was saved when the preview was opened. */
    reset: () => {
      setPendingPosition(undefined);
      void save(initialPosition);
    },
  };
}

const isSamePosition = (a: CropPosition | undefined, b: CropPosition | undefined): boolean =>
  a?.x === b?.x && a?.y === b?.y;
