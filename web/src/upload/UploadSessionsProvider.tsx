import { useState, type ReactNode } from "react";
import { useToast } from "../ui/Toasts.tsx";
import { createUploadSessions, UploadSessionsContext } from "./upload-sessions.ts";

/** Keeps uploads running while the user moves between pages of the web app. */
export function UploadSessionsProvider({ children }: { children: ReactNode }) {
  const showToast = useToast();
  const [sessions] = useState(() =>
    createUploadSessions(({ post }) =>
      showToast({ text: `All files are uploaded to ${post ? `“${post.title}”` : "the library"}.` }),
    ),
  );
  return <UploadSessionsContext value={sessions}>{children}</UploadSessionsContext>;
}
