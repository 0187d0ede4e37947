import type { Asset } from "../api/queries.ts";
import { createFormat } from "../upload/format.ts";

/** Sizes read as they do while a file goes up. */
const { bytes: sizeOf } = createFormat("en");

/** What a file is, in a word or two, where no picture of it can be shown. */
export function typeWord({ mimeType, filename }: Pick<Asset, "mimeType" | "filename">): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1];
  return (ending ?? mimeType.split("/")[1] ?? "file").toUpperCase();
}

export function measures({ width, height, durationMs, bytes }: Asset): string {
  return [
    bytes === null ? "on its way" : sizeOf(bytes),
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
