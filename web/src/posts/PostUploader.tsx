import { useQueryClient } from "@tanstack/react-query";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";

/** Uploads files to a post. */
export function PostUploader({ post }: { post: Post }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  return (
    <InPlaceUploader
      createLink={() => createUploadLink(studio.id, post.id, { inPlace: true })}
      storageKey={`atelier upload ${post.id}`}
      onUploaded={() => void refreshQueries(queryClient, studio.id)}
    />
  );
}
