import { useEffect, useState } from "react";
import { refetchChanged } from "../api/change.ts";
import { createLibraryUploadLink } from "../api/mutations.ts";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { needsAttention } from "../media/needs-attention.ts";
import { useToast } from "../ui/Toasts.tsx";
import type { UploadItem } from "../upload/upload-task.ts";
import { useUploader, type Uploads } from "../upload/use-uploader.ts";
import { formatFileCount } from "./labels.ts";

export interface LibraryUploads extends Uploads {
  /** The uploads to show before the listed files. Those that need the user's attention come first. */
  visibleItems: readonly UploadItem[];
  /** For screen readers. */
  announcement: string;
}

/** Where the tab stores the tokens of the upload links of the library. */
const getStorageKey = (studioId: string): string => `atelier upload ${studioId}`;

/** The uploads to the library. A finished upload disappears once its file is in `listedAssets`. */
export function useLibraryUploads(listedAssets: readonly Asset[], isFiltered: boolean): LibraryUploads {
  const { studio, may } = useStudio();
  const showToast = useToast();
  const [announcement, setAnnouncement] = useState("");
  const uploads = useUploader({
    target: { studioId: studio.id },
    createLink: () => createLibraryUploadLink({ studioId: studio.id }),
    storageKey: getStorageKey(studio.id),
    isEnabled: may("assets.write"),
    onUploaded: ({ id, filename }) => {
      setAnnouncement(`${filename} is in the library.`);
      void refetchChanged([{ studioId: studio.id, objects: [{ type: "asset", id }] }]);
    },
    onDuplicates: (names) =>
      showToast({
        text:
          names.length === 1
            ? `${names[0]} is already being uploaded.`
            : `${formatFileCount(names.length)} are already being uploaded.`,
      }),
  });

  const failedItem = uploads.items.findLast(({ status }) => status === "failed");
  const failure = failedItem && `Upload of ${failedItem.name} failed. ${failedItem.error?.message ?? ""}`;
  // A new failure replaces the announcement.
  const [lastFailure, setLastFailure] = useState<string>();
  if (failure !== lastFailure) {
    setLastFailure(failure);
    if (failure !== undefined) setAnnouncement(failure);
  }

  const readyIds = new Set(listedAssets.filter(({ status }) => status === "ready").map(({ id }) => id));
  // With a filter, the list may never contain the file, so the upload does not wait for it.
  const canDisappear = (item: UploadItem): boolean =>
    item.status === "done" && (isFiltered || (item.id !== undefined && readyIds.has(item.id)));
  const finishedKeys = uploads.items.filter(canDisappear).map(({ key }) => key);
  useEffect(() => {
    for (const key of finishedKeys) uploads.cancel(key); // a finished upload is only removed from the items
  });

  const remainingItems = uploads.items.filter((item) => !canDisappear(item));
  return {
    ...uploads,
    visibleItems: [...remainingItems.filter(needsAttention), ...remainingItems.filter((item) => !needsAttention(item))],
    announcement,
  };
}
