import { useQueryClient } from "@tanstack/react-query";
import { createLibraryUploadLink } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";
import { getUploadStorageKey } from "./upload-storage-key.ts";

/** Uploads files to the library. */
export function LibraryUploader() {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  return (
    <InPlaceUploader
      key={studio.id}
      createLink={() => createLibraryUploadLink(studio.id)}
      storageKey={getUploadStorageKey(studio.id)}
      isForLibrary
      onUploaded={() => void refreshQueries(queryClient, studio.id)}
    />
  );
}
