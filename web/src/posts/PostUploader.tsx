import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";

/** Shows the upload page's uploader inside a post. Uploads resume after a reload. */
export function PostUploader({ post }: { post: Post }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const storageKey = `atelier upload ${post.id}`;
  // Anyone with the token can upload to the post, so it is kept only until the tab closes.
  const [previousToken] = useState(() => sessionStorage.getItem(storageKey) ?? undefined);

  async function createToken(): Promise<string> {
    const { token } = await createUploadLink(studio.id, post.id, { inPlace: true });
    sessionStorage.setItem(storageKey, token);
    return token;
  }

  return (
    <InPlaceUploader
      createToken={createToken}
      previousToken={previousToken}
      onUploaded={() => void refreshQueries(queryClient, studio.id)}
    />
  );
}
