import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink } from "../api/changes.ts";
import { refresh, type Post } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { InPlaceUploader } from "../upload/InPlaceUploader.tsx";

/** The upload page's uploader on the post itself. What was on its way before a reload goes on. */
export function UploadHere({ post }: { post: Post }) {
  const { studio } = useStudio();
  const queries = useQueryClient();
  const key = `atelier upload ${post.id}`;
  // In this tab only, and gone with it: whoever has the token can send files to the post.
  const [before] = useState(() => sessionStorage.getItem(key) ?? undefined);

  async function newToken(): Promise<string> {
    const { token } = await createUploadLink(studio.id, post.id, true);
    sessionStorage.setItem(key, token);
    return token;
  }

  return <InPlaceUploader newToken={newToken} restore={before} onArrived={() => void refresh(queries, studio.id)} />;
}
