import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { assetQuery, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { capitalize, formatActor } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { formatBytes, formatDuration, formatFileType } from "./labels.ts";

/** The type, the size and the media metadata of a file, and who added it. */
export function AssetMetadata({ asset }: { asset: Asset }) {
  const { studio } = useStudio();
  const { data } = useQuery(assetQuery(studio.id, asset.id));
  const { bytes, width, height, durationMs } = asset;
  const details: Record<string, ReactNode> = {
    Type: formatFileType(asset),
    Size: bytes === null ? "Uploading" : formatBytes(bytes),
    ...(width !== undefined && height !== undefined && { Dimensions: `${width} × ${height}` }),
    ...(durationMs !== undefined && { Duration: formatDuration(durationMs) }),
    "Added by":
      data &&
      capitalize(formatActor(data.createdBy, data.createdThrough === null ? null : { name: data.createdThrough })),
    Added: data && (
      <span className="block first-letter:uppercase">
        <RelativeTime at={data.createdAt} timezone={studio.timezone} />
      </span>
    ),
  };
  return (
    <section aria-label="Details">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {Object.entries(details).map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
