import { useQueryClient } from "@tanstack/react-query";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";
import { getPostUploadsKey } from "../upload/uploader-registry.tsx";
import { useUploader, type Uploads } from "../upload/use-uploader.ts";

/** The uploads of this page to a post. */
export function usePostUploads({ id, title }: Pick<Post, "id" | "title">): Uploads {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  return useUploader({
    target: { studioId: studio.id, post: { id, title } },
    createLink: () => createUploadLink(studio.id, id, { inPlace: true }),
    storageKey: getPostUploadsKey(id),
    isEnabled: true,
    // After the refresh, the uploaded file is listed as a file of the post.
    onUploaded: (_, remove) => void refreshQueries(queryClient, studio.id).then(remove),
    onDuplicates: (names) => showToast({ text: `Already uploading: ${names.join(", ")}` }),
  });
}
