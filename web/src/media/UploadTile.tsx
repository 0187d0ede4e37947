import { CircleAlert, Pause, Play, RotateCw, X, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../ui/IconButton.tsx";
import type { UploadItem } from "../upload/upload-task.ts";
import type { Uploads } from "../upload/use-uploader.ts";
import { describeProblem, describeUpload, getPercent } from "./describe-upload.ts";
import { needsAttention } from "./needs-attention.ts";
import { captionClasses, frameClasses, overlayButtonClasses } from "./tile-classes.ts";
import { UploadThumbnail } from "./UploadThumbnail.tsx";

interface UploadTileProps {
  upload: UploadItem;
  uploads: Pick<Uploads, "pause" | "resume">;
  onCancel: (upload: UploadItem) => void;
}

/** A file that this page uploads, with its progress, or with the reason why it failed. */
export function UploadTile({
  dragHandle,
  frameHeight,
  ...props
}: UploadTileProps & {
  /** The button that moves the file; absent until the server has a record of the file. */
  dragHandle?: ReactNode;
  /** The height of the frame in a grid. The text then has two lines. */
  frameHeight?: number;
}) {
  const { upload } = props;
  const isStopped = needsAttention(upload);
  const isGrid = frameHeight !== undefined;
  return (
    <div data-upload-status={upload.status}>
      <div
        className={`${frameClasses} ${isStopped ? "border-danger" : ""}`}
        style={isGrid ? { height: frameHeight } : undefined}
      >
        <UploadThumbnail upload={upload} />
        {dragHandle}
        <div className="absolute top-1 right-1 flex gap-1 pointer-coarse:top-0 pointer-coarse:right-0 pointer-coarse:gap-0">
          <UploadActions {...props} className={overlayButtonClasses} />
        </div>
        <UploadProgress upload={upload} className="absolute inset-x-2 bottom-2" />
        {isStopped && <CircleAlert aria-hidden="true" className="absolute bottom-2 left-2 size-5 text-danger" />}
      </div>
      <p className={captionClasses} title={upload.name}>
        {upload.name}
      </p>
      {(!isGrid || !isStopped) && <UploadState upload={upload} />}
      {isStopped && (
        <p
          className={`m-0 text-xs [overflow-wrap:anywhere] ${isGrid ? "line-clamp-2 text-danger" : ""}`}
          title={describeProblem(upload)}
        >
          {describeProblem(upload)}
        </p>
      )}
    </div>
  );
}

/** Like `UploadTile`, as one row of a list. */
export function UploadRow(props: UploadTileProps) {
  const { upload } = props;
  return (
    <div
      data-upload-status={upload.status}
      className="flex h-full items-center gap-3 border-b border-rule px-1 pointer-coarse:gap-1"
    >
      <span className="size-9 flex-none overflow-hidden rounded-sm bg-sunken">
        <UploadThumbnail upload={upload} />
      </span>
      <div className="relative min-w-0 flex-1">
        <p className="m-0 truncate leading-5 font-medium" title={upload.name}>
          {upload.name}
        </p>
        {needsAttention(upload) ? (
          <p className="m-0 truncate text-xs/5 text-danger" title={describeProblem(upload)}>
            {describeProblem(upload)}
          </p>
        ) : (
          <UploadState upload={upload} />
        )}
        <UploadProgress upload={upload} className="absolute inset-x-0 -bottom-1" />
      </div>
      <UploadActions {...props} />
    </div>
  );
}

const UploadState = ({ upload }: { upload: UploadItem }) => (
  <p className={`m-0 text-xs ${needsAttention(upload) ? "text-danger" : "text-muted"} tabular-nums`}>
    {describeUpload(upload)}
  </p>
);

function UploadActions({ upload, uploads, onCancel, className = "" }: UploadTileProps & { className?: string }) {
  const { key, name, status } = upload;
  const mainAction = getMainAction(upload);
  return (
    <>
      {mainAction && (
        <IconButton
          icon={mainAction.icon}
          label={mainAction.label}
          className={className}
          onClick={() => uploads[mainAction.method](key)}
        />
      )}
      {status !== "checking" && status !== "done" && (
        <IconButton
          icon={X}
          label={needsAttention(upload) ? `Remove ${name}` : `Cancel upload of ${name}`}
          className={className}
          onClick={() => onCancel(upload)}
        />
      )}
    </>
  );
}

/** The button that pauses, resumes or retries. It is the same button, so it keeps the focus when the status changes. */
function getMainAction({
  name,
  status,
  file,
  storedFile,
  error,
}: UploadItem): { icon: LucideIcon; label: string; method: "pause" | "resume" } | undefined {
  if (status === "waiting" || status === "sending")
    return { icon: Pause, label: `Pause upload of ${name}`, method: "pause" };
  if (status === "paused") return { icon: Play, label: `Resume upload of ${name}`, method: "resume" };
  const canRetry = status === "failed" && file !== undefined && error?.isPermanent !== true;
  const canResume = status === "missing" && storedFile !== undefined;
  return canRetry || canResume ? { icon: RotateCw, label: `Retry ${name}`, method: "resume" } : undefined;
}

function UploadProgress({ upload, className }: { upload: UploadItem; className: string }) {
  if (needsAttention(upload)) return null;
  const percent = upload.status === "checking" || upload.status === "done" ? 100 : getPercent(upload);
  return (
    <div
      role="progressbar"
      aria-label={`Upload of ${upload.name}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={`h-1.5 overflow-hidden rounded-full border border-paper bg-rule forced-colors:border ${className}`}
    >
      <div
        className={`h-full bg-accent forced-colors:bg-[Highlight] ${upload.status === "checking" ? "animate-pulse" : ""}`}
        style={{ width: `${percent}%` }}
      />
    </div>
  );
}
