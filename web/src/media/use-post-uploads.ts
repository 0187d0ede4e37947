import { refetchChanged } from "../api/change.ts";
import { createPostUploadLink } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";
import { getPostUploadsKey } from "../upload/uploader-registry.tsx";
import { useUploader, type Uploads } from "../upload/use-uploader.ts";

/** The uploads of this page to a post. */
export function usePostUploads({ id, title }: Pick<Post, "id" | "title">): Uploads {
  const { studio } = useStudio();
  const showToast = useToast();
  return useUploader({
    target: { studioId: studio.id, post: { id, title } },
    createLink: () => createPostUploadLink({ studioId: studio.id, postId: id }),
    storageKey: getPostUploadsKey(id),
    isEnabled: true,
    // Then the uploaded file is listed as a file of the post.
    onUploaded: (file, remove) =>
      void refetchChanged([{ studioId: studio.id, objects: [{ type: "asset", id: file.id }] }]).then(remove),
    onDuplicates: (names) => showToast({ text: `Already uploading: ${names.join(", ")}` }),
  });
}
