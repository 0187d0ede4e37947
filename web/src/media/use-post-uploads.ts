import { useQueryClient } from "@tanstack/react-query";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useUploader, type Uploads } from "../upload/use-uploader.ts";

/** The uploads of this page to a post. */
export function usePostUploads(postId: string): Uploads {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  return useUploader({
    createLink: () => createUploadLink(studio.id, postId, { inPlace: true }),
    storageKey: `atelier upload ${postId}`,
    isEnabled: true,
    // After the refresh, the uploaded file is listed as a file of the post.
    onUploaded: (_, remove) => void refreshQueries(queryClient, studio.id).then(remove),
    onDuplicates: (names) => showToast({ text: `Already uploading: ${names.join(", ")}` }),
  });
}
