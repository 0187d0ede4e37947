import { Outlet } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

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
        <p ref={reserveHeight} className="m-0 bg-ink px-5 py-2 text-center text-paper">
          You’re offline. Content may be out of date. Keep this tab open: when you’re back online, your changes to the
          open post are saved and uploads continue.
        </p>
      )}
    </div>
  );
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
