import { Outlet, useMatch } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { useUploaderRegistry } from "../upload/uploader-registry.tsx";

export function RootLayout() {
  return (
    <>
      <a
        className="fixed top-2 left-2 z-50 rounded-md bg-raised px-4 py-2 shadow-overlay not-focus:[clip-path:inset(50%)]"
        href="#main"
      >
        Skip to content
      </a>
      <OfflineNotice />
      <Outlet />
    </>
  );
}

function subscribeToConnection(notify: () => void): () => void {
  window.addEventListener("online", notify);
  window.addEventListener("offline", notify);
  return () => {
    window.removeEventListener("online", notify);
    window.removeEventListener("offline", notify);
  };
}

function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribeToConnection, () => navigator.onLine);
  return (
    <div role="status" className="md:sticky md:top-0 md:z-10">
      {!isOnline && (
        <p ref={reserveHeight} className="m-0 bg-ink px-3 py-2 text-center text-paper max-sm:text-sm">
          You’re offline. <OfflineAdvice />
        </p>
      )}
    </div>
  );
}

function OfflineAdvice() {
  const isEditing = useMatch({ from: "/studios/$studioId/posts/$postId", shouldThrow: false }) !== undefined;
  const { subscribe, isAnyUploading } = useUploaderRegistry();
  const isUploading = useSyncExternalStore(subscribe, isAnyUploading);
  const results = [...(isEditing ? ["changes are saved"] : []), ...(isUploading ? ["uploads continue"] : [])];
  if (results.length === 0) return "This page may be out of date.";
  return `Keep this tab open: ${results.join(" and ")} when you’re back online.`;
}

/** Keeps the sidebar and the side panel, which are as high as the window, below the notice and in view. */
function reserveHeight(notice: HTMLElement | null) {
  if (!notice) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty("--notice-height", `${notice.offsetHeight}px`));
  observer.observe(notice);
  return () => {
    observer.disconnect();
    style.removeProperty("--notice-height");
  };
}
