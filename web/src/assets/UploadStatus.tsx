import { Pause, Play, Upload } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { Button } from "../ui/Button.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { withoutSystemFiles } from "../upload/dropped-files.ts";
import { listenForFiles, unreadableFilesText } from "../upload/listen-for-files.ts";
import { getPauseLabel } from "../upload/pause-label.ts";
import type { ChosenFile, UploadSummary } from "../upload/upload-task.ts";
import { formatFileCount, formatBytes, formatTimeLeft } from "./labels.ts";
import type { LibraryUploads } from "./use-library-uploads.ts";

/** The total progress of all uploads, and the problems that need the user's attention. */
export function UploadStatus({ uploads }: { uploads: LibraryUploads }) {
  const { summary, announcement } = uploads;
  const isVisible = summary !== undefined && summary.state !== "empty" && summary.state !== "done";
  return (
    <>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {isVisible && (
        <section
          aria-label="Uploads"
          className="mb-4 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-hover px-3 py-1.5"
        >
          <Upload size={16} className="flex-none text-muted" aria-hidden="true" />
          <p className="m-0 min-w-0 flex-1 tabular-nums">{describeUploads(summary)}</p>
          {summary.state === "sending" && (
            <Button variant="quiet" size="small" icon={Pause} onClick={() => uploads.pause()}>
              {getPauseLabel(summary)}
            </Button>
          )}
          {summary.state === "paused" && (
            <Button variant="quiet" size="small" icon={Play} onClick={() => uploads.resume()}>
              {getPauseLabel(summary)}
            </Button>
          )}
        </section>
      )}
    </>
  );
}

function describeUploads(summary: UploadSummary): string {
  const { state, failedCount, secondsLeft } = summary;
  if (summary.connection === "offline") return "You’re offline. Uploads resume when you’re back online.";
  if (summary.connection === "lost" && state === "sending")
    return summary.reason ?? "The server isn’t responding. Uploads resume automatically.";
  const failedText = failedCount === 0 ? "" : `${formatFileCount(failedCount)} failed`;
  if (state === "stuck")
    return failedText === "" ? "Choose the files below again to resume their uploads." : `${failedText}. See below.`;
  return [
    `${state === "paused" ? "Paused" : "Uploading"}: ${summary.doneCount} of ${formatFileCount(summary.fileCount)}`,
    `${formatBytes(summary.sentBytes)} of ${formatBytes(summary.totalBytes)}`,
    secondsLeft === undefined ? "" : `${formatTimeLeft(secondsLeft)} left`,
    failedText,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Accepts files that the user drops anywhere on the page, or pastes. */
export function DropTarget({ onFiles }: { onFiles: (chosenFiles: readonly ChosenFile[]) => void }) {
  const root = useRef<HTMLDivElement>(null);
  const handleFiles = useEffectEvent((chosenFiles: readonly ChosenFile[]) => onFiles(withoutSystemFiles(chosenFiles)));
  const showToast = useToast();
  useEffect(() => {
    if (!root.current) return undefined;
    return listenForFiles(
      root.current,
      (chosenFiles) => handleFiles(chosenFiles),
      () => showToast({ text: unreadableFilesText }),
    );
  }, [showToast]);
  return (
    <div
      ref={root}
      aria-hidden="true"
      className="pointer-events-none fixed inset-2 z-30 hidden place-items-center rounded-lg border-2 border-dashed border-accent bg-paper/85 data-dragging:grid"
    >
      <p className="m-0 flex items-center gap-2 text-lg font-semibold">
        <Upload size={20} />
        Drop files to add them to the library
      </p>
    </div>
  );
}
