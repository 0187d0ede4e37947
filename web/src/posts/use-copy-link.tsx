import { lazy, Suspense, useCallback, useState, type ReactNode } from "react";
import { useToast } from "../ui/Toasts.tsx";

const LinkDialog = lazy(async () => ({ default: (await import("../ui/LinkDialog.tsx")).LinkDialog }));

/** Copies a link to a post. Where the browser blocks that, `linkDialog` shows the link. */
export function useCopyLink(): { copyLink: (url: string) => Promise<void>; linkDialog: ReactNode } {
  const showToast = useToast();
  const [blockedUrl, setBlockedUrl] = useState<string>();
  const copyLink = useCallback(
    async (url: string) => {
      try {
        await navigator.clipboard.writeText(url);
        showToast({ text: "Link copied." });
      } catch {
        setBlockedUrl(url); // browsers block the clipboard without HTTPS
      }
    },
    [showToast],
  );
  return {
    copyLink,
    linkDialog: blockedUrl !== undefined && (
      <Suspense>
        <LinkDialog
          title="Copy the link"
          label="Link to this post"
          url={blockedUrl}
          onClose={() => setBlockedUrl(undefined)}
        >
          Your browser doesn’t let this page copy. Select the link and copy it yourself.
        </LinkDialog>
      </Suspense>
    ),
  };
}
