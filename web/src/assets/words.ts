import type { Asset } from "../api/queries.ts";

const units = ["bytes", "KB", "MB", "GB"] as const;

/** A size as people say it. */
export function sizeWords(bytes: number | null): string {
  if (bytes === null) return "on its way";
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** step;
  return `${value.toLocaleString("en", { maximumFractionDigits: step > 1 ? 1 : 0 })} ${units[step]}`;
}

/** What a file is, in a word or two, where no picture of it can be shown. */
export function typeWord({ mimeType, filename }: Pick<Asset, "mimeType" | "filename">): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (ending ?? mimeType.split("/")[1] ?? "file").toUpperCase();
}

export function measures({ width, height, durationMs, bytes }: Asset): string {
  return [
    sizeWords(bytes),
    width !== undefined && height !== undefined ? `${width} × ${height}` : "",
    durationMs === undefined ? "" : lengthWords(durationMs),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function lengthWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
