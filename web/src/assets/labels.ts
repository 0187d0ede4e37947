import type { Asset } from "../api/queries.ts";
import { createFormatter } from "../upload/format.ts";

const { bytes: formatBytes } = createFormatter("en");

/** The file type to show in place of a thumbnail, such as PDF. */
export function getTypeLabel({ mimeType, filename }: Pick<Asset, "mimeType" | "filename">): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (extension ?? mimeType.split("/")[1] ?? "file").toUpperCase();
}

export function formatMediaMetadata({ width, height, durationMs, bytes }: Asset): string {
  return [
    bytes === null ? "Uploading" : formatBytes(bytes),
    width !== undefined && height !== undefined ? `${width} × ${height}` : "",
    durationMs === undefined ? "" : formatDuration(durationMs),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
