import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";

/** The uploader of the upload page, inside a post. Uploads resume after a reload. */
export function PostUploader({ post }: { post: Post }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const storageKey = `atelier upload ${post.id}`;
  // Session storage ends with the tab: anyone with the token can upload to the post.
  const [previousToken] = useState(() => sessionStorage.getItem(storageKey) ?? undefined);

  async function createToken(): Promise<string> {
    const { token } = await createUploadLink(studio.id, post.id, true);
    sessionStorage.setItem(storageKey, token);
    return token;
  }

  return (
    <InPlaceUploader
      createToken={createToken}
      restoreToken={previousToken}
      onUploaded={() => void refreshQueries(queryClient, studio.id)}
    />
  );
}
