import { FileText, Video, Image, type LucideIcon } from "lucide-react";
import type { Asset } from "../api/queries.ts";
import { createFormatter } from "../upload/format.ts";

export const { bytes: formatBytes, duration: formatTimeLeft } = createFormatter("en");

export const kindIcons: Record<Asset["kind"], LucideIcon> = { image: Image, video: Video, document: FileText };
export const kindLabels = { image: "Images", video: "Videos", document: "Documents" } as const;
export const usageLabels = { used: "Used", unused: "Unused" } as const;

export const formatFileCount = (count: number): string => (count === 1 ? "1 file" : `${count} files`);

/** The file type to show in place of a thumbnail, such as PDF. */
export function getTypeLabel({ mimeType, filename }: Pick<Asset, "mimeType" | "filename">): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (extension ?? mimeType.split("/")[1] ?? "file").toUpperCase();
}

const formatNames: Record<string, string> = { quicktime: "QuickTime", webm: "WebM", webp: "WebP" };

/** The file type in words, such as "JPEG image". */
export function formatFileType(asset: Asset): string {
  const subtype = asset.mimeType.split("/")[1] ?? "";
  const formatName = asset.kind === "document" ? getTypeLabel(asset) : (formatNames[subtype] ?? subtype.toUpperCase());
  return `${formatName} ${asset.kind}`;
}

type MediaMetadata = Pick<Asset, "bytes" | "width" | "height"> & { durationMs?: number | undefined };

export const formatMediaMetadata = (asset: MediaMetadata): string => listMediaMetadata(asset).join(" · ");

export function listMediaMetadata({ width, height, durationMs, bytes }: MediaMetadata): string[] {
  return [
    width !== undefined && height !== undefined ? `${width} × ${height}` : "",
    durationMs === undefined ? "" : formatDuration(durationMs),
    // Last, because it matters least if there is no room for all.
    bytes === null ? "Uploading" : formatBytes(bytes),
  ].filter((part) => part !== "");
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const minutesAndSeconds = `${hours > 0 ? String(minutes).padStart(2, "0") : minutes}:${String(seconds % 60).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds;
}
