import { useState } from "react";
import { readApiError } from "../api/api-error.ts";
import { Button } from "../ui/Button.tsx";
import type { Size } from "./crop-window.ts";

/** How an image fills its tile: cut off where it doesn't fit, as platforms do in a grid, or as a whole. */
export type ImageFit = "cover" | "contain";

const fitClasses: Record<ImageFit, string> = {
  cover: "size-full object-cover",
  // Without a position, the height of the image would be that of the tile.
  contain: "absolute inset-0 size-full object-contain",
};

/** An image as the platform receives it. The first request may take seconds, because the server converts the image. */
export function RenditionImage({
  url,
  altText,
  expectedSize,
  fit,
  onLoad,
}: {
  url: string;
  altText: string;
  /** Reserves room for the image before it is loaded. */
  expectedSize?: Size | undefined;
  /** Without it, the image has its own size. */
  fit?: ImageFit | undefined;
  onLoad?: (size: Size) => void;
}) {
  const [attempt, setAttempt] = useState(0);
  const [loadedUrl, setLoadedUrl] = useState<string>();
  const [failure, setFailure] = useState<{ url: string; message: string }>();
  const src = attempt === 0 ? url : `${url}&attempt=${attempt}`;

  if (failure?.url === src)
    return (
      <div className="relative z-1 grid size-full min-h-28 content-center justify-items-center gap-2 bg-paper p-3 text-center text-sm">
        <p className="m-0 text-danger" role="alert">
          {failure.message}
        </p>
        <Button variant="quiet" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </Button>
      </div>
    );
  return (
    <div className={`relative ${fit ? "size-full" : ""}`} aria-busy={loadedUrl !== src}>
      <img
        className={`mx-auto block ${fit ? fitClasses[fit] : "h-auto max-h-[30rem] w-auto max-w-full"} ${loadedUrl === undefined && !expectedSize && !fit ? "min-h-40" : ""} ${loadedUrl === src ? "" : "opacity-60"}`}
        style={loadedUrl === undefined && expectedSize && !fit ? reserveRoom(expectedSize) : undefined}
        src={src}
        alt={altText}
        decoding="async"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setLoadedUrl(src);
          onLoad?.({ width: naturalWidth, height: naturalHeight });
        }}
        onError={() => void readFailure(src).then((message) => setFailure({ url: src, message }))}
      />
      {loadedUrl === undefined && (
        <span className="absolute inset-0 grid animate-appear place-items-center text-sm text-muted" role="status">
          Converting…
        </span>
      )}
    </div>
  );
}

/** The most that the image can be high, as in the class `max-h-[30rem]`. */
const maxHeightRem = 30;

/** The same size as the loaded image will have. */
const reserveRoom = ({ width, height }: Size) => ({
  aspectRatio: width / height,
  width: `min(100%, ${width}px, ${(maxHeightRem * width) / height}rem)`,
});

/** An image element does not expose why it failed, so this requests the URL again. */
async function readFailure(url: string): Promise<string> {
  const response = await fetch(url).catch(() => undefined);
  if (!response) return "Can’t reach the server.";
  if (response.ok) return "The image couldn’t be loaded.";
  const error = await readApiError(response);
  return error.accountProblems[0]?.problems[0]?.message ?? error.message;
}
