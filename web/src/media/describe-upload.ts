import { createFormatter } from "../upload/format.ts";
import type { UploadItem, UploadSummary } from "../upload/upload-task.ts";

const format = createFormatter("en");

export const getPercent = ({ sentBytes, size }: Pick<UploadItem, "sentBytes" | "size">): number =>
  size === 0 ? 0 : Math.floor((sentBytes / size) * 100);

/** The state of an upload on its tile: "42%", "Paused at 42%". */
export function describeUpload(upload: UploadItem): string {
  switch (upload.status) {
    case "waiting":
      return "Waiting";
    case "sending":
      return `${getPercent(upload)}%`;
    case "paused":
      return `Paused at ${getPercent(upload)}%`;
    case "checking":
      return "Checking";
    case "done":
      return "Uploaded";
    case "failed":
      return "Upload failed";
    case "missing":
      return "Upload interrupted";
  }
}

/** What the user has to do about an upload. */
export function describeProblem({ status, error, storedFile }: UploadItem): string {
  if (status === "missing")
    return storedFile ? "Resume it and allow the browser to read this file." : "Choose this file again to resume.";
  return [error?.message, error?.hint].filter(Boolean).join(" ");
}

/** The unfinished uploads together: "Uploading 5 files · 78 MB, about 20 sec left". */
export function describeUploads(items: readonly UploadItem[], { secondsLeft }: UploadSummary): string {
  const unfinishedItems = items.filter(({ status }) => !["done", "failed", "missing"].includes(status));
  const remainingBytes = unfinishedItems.reduce((bytes, { size, sentBytes }) => bytes + size - sentBytes, 0);
  const count = unfinishedItems.length;
  const timeText = secondsLeft === undefined ? "" : `, about ${format.duration(secondsLeft)}`;
  return `Uploading ${count} ${count === 1 ? "file" : "files"} · ${format.bytes(remainingBytes)}${timeText} left`;
}

/** What screen readers announce when the status of an upload changes; empty if they announce nothing. */
export function describeStatusChange(upload: UploadItem, previous: UploadItem | undefined): string {
  const { name, status } = upload;
  if (status === previous?.status) return "";
  if (status === "failed" || status === "missing")
    return `${name}: ${describeUpload(upload)}. ${describeProblem(upload)}`;
  if (status === "done") return `${name}: uploaded.`;
  if (status === "paused") return `${name}: paused.`;
  return status === "sending" && (!previous || previous.status === "waiting") ? `${name}: uploading.` : "";
}
