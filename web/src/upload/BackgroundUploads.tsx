import { Link } from "@tanstack/react-router";
import { CircleAlert, Upload, X } from "lucide-react";
import { bottomClasses } from "../ui/bottom-classes.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { useUploaderRegistry, type BackgroundUpload } from "./uploader-registry.tsx";
import type { UploadSummary } from "./upload-task.ts";

/** The progress of uploads whose page the user has left, with links to those pages. */
export function BackgroundUploads({ uploads }: { uploads: readonly BackgroundUpload[] }) {
  const { end } = useUploaderRegistry();
  return (
    <section
      aria-label="Uploads in the background"
      className={`fixed left-4 z-20 grid max-w-[min(26rem,calc(100vw-2rem))] gap-2 md:left-[calc(var(--sidebar-width)+1rem)] ${bottomClasses}`}
    >
      {uploads.map(({ key, target: { studioId, post }, summary }) => {
        const isSending = summary.state === "sending";
        const hasFailed = !isSending && summary.failedCount > 0;
        const Icon = hasFailed ? CircleAlert : Upload;
        const name = post ? `“${post.title}”` : "the library";
        const linkClasses = "min-w-0 truncate text-ink no-underline hover:text-accent pointer-coarse:py-3";
        return (
          <div
            key={key}
            className="flex min-h-control items-center gap-2 rounded-lg bg-raised py-1 pr-1 pl-3 text-sm tabular-nums shadow-overlay forced-colors:border"
          >
            <Icon size={16} className={`flex-none ${hasFailed ? "text-danger" : "text-muted"}`} aria-hidden="true" />
            {post ? (
              <Link
                className={linkClasses}
                to="/studios/$studioId/posts/$postId"
                params={{ studioId, postId: post.id }}
              >
                {describeProgress(summary, name)}
              </Link>
            ) : (
              <Link className={linkClasses} to="/studios/$studioId/assets" params={{ studioId }}>
                {describeProgress(summary, name)}
              </Link>
            )}
            {isSending ? (
              <span className="w-2" />
            ) : (
              <IconButton icon={X} label={`Dismiss uploads to ${name}`} onClick={() => end(key)} />
            )}
          </div>
        );
      })}
    </section>
  );
}

function describeProgress(summary: UploadSummary, name: string): string {
  const { state, connection, failedCount, sentBytes, totalBytes } = summary;
  if (state !== "sending") {
    if (failedCount > 0) return `${failedCount === 1 ? "1 upload" : `${failedCount} uploads`} to ${name} failed`;
    return state === "paused" ? `Uploads to ${name} are paused` : `Open ${name} to resume its uploads`;
  }
  if (connection !== "good") return `Uploading to ${name}: waiting for the connection`;
  return `Uploading to ${name}: ${totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100)} %`;
}
