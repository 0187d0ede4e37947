import { useEffect, useRef, useState } from "react";
import { setCrop } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction } from "../ui/use-action.ts";
import type { CropPosition } from "./crop-window.ts";
import { findCrop } from "./get-rendition-url.ts";

/** The delay between the last move and saving, so that a series of key presses is one revision. */
const moveSaveDelayMs = 600;
const center: CropPosition = { x: 0.5, y: 0.5 };

interface CropTarget {
  post: Post;
  assetId: string;
  platform: string;
  /** Sends the change after those before it. */
  change: (send: () => Promise<Post>) => Promise<void>;
}

interface Choice {
  /** Undefined means padding. */
  position: CropPosition | undefined;
  saveDelayMs: number;
}

/** How an image fits a platform: padded if the position is undefined, otherwise cropped at this position. */
export function useCrop({ post, assetId, platform, change }: CropTarget) {
  const { studio } = useStudio();
  const { isRunning, error, run } = useAction();
  const savedPosition = findCrop(post, assetId, platform);
  const [initialPosition] = useState(savedPosition);
  /** The user's choice until it is saved. It is shown at once. */
  const [choice, setChoice] = useState<Choice>();
  const [saveCount, setSaveCount] = useState(0);
  const position = choice ? choice.position : savedPosition;
  const isSaving = isRunning || choice !== undefined;

  const unsavedChoice = useRef<Choice>(undefined);
  function choose(newChoice: Choice | undefined): void {
    unsavedChoice.current = newChoice;
    setChoice(newChoice);
  }

  async function save(): Promise<void> {
    const sentChoice = unsavedChoice.current;
    if (!sentChoice) return;
    unsavedChoice.current = undefined;
    await run(async () => {
      try {
        const { x, y } = sentChoice.position ?? center;
        const mode = sentChoice.position ? "crop" : "pad";
        await change(() => setCrop({ studioId: studio.id, postId: post.id, assetId }, { platform, mode, x, y }));
        setSaveCount((count) => count + 1);
      } finally {
        // A choice made during the request is saved by the next one. After a failure, the saved position is shown again.
        setChoice((current) => (current === sentChoice ? undefined : current));
      }
    });
  }

  const latestSave = useRef(save);
  useEffect(() => {
    latestSave.current = save;
  });
  useEffect(() => {
    if (!choice || isRunning) return undefined;
    const timer = setTimeout(() => void latestSave.current(), choice.saveDelayMs);
    return () => clearTimeout(timer);
  }, [choice, isRunning]);
  // Closing the preview saves at once.
  useEffect(() => () => void latestSave.current(), []);

  return {
    position,
    error,
    isSaving,
    isSaved: !isSaving && saveCount > 0 && error === undefined,
    isChanged: !isSamePosition(position, initialPosition),
    move: (newPosition: CropPosition) => choose({ position: newPosition, saveDelayMs: moveSaveDelayMs }),
    setFit: (fit: "pad" | "crop") => choose({ position: fit === "crop" ? center : undefined, saveDelayMs: 0 }),
    /** Restores what was saved when the preview was opened. */
    reset: () => choose({ position: initialPosition, saveDelayMs: 0 }),
  };
}

const isSamePosition = (a: CropPosition | undefined, b: CropPosition | undefined): boolean =>
  a?.x === b?.x && a?.y === b?.y;
