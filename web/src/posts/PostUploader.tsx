import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink } from "../api/mutations.ts";
import { refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";

/** The upload page's uploader on the post itself. What was on its way before a reload goes on. */
export function PostUploader({ post }: { post: Post }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const storageKey = `atelier upload ${post.id}`;
  // In this tab only, and gone with it: whoever has the token can send files to the post.
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
