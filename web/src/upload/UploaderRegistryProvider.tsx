import { useState, type ReactNode } from "react";
import { useToast } from "../ui/Toasts.tsx";
import { createUploaderRegistry, UploaderRegistryContext } from "./uploader-registry.ts";

/** Keeps uploads running while the user moves between pages of the web app. */
export function UploaderRegistryProvider({ children }: { children: ReactNode }) {
  const showToast = useToast();
  const [registry] = useState(() =>
    createUploaderRegistry(({ post }) =>
      showToast({ text: `All files are uploaded to ${post ? `“${post.title}”` : "the library"}.` }),
    ),
  );
  return <UploaderRegistryContext value={registry}>{children}</UploaderRegistryContext>;
}
