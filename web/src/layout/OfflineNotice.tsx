import { useSyncExternalStore } from "react";

function subscribe(notify: () => void): () => void {
  window.addEventListener("online", notify);
  window.addEventListener("offline", notify);
  return () => {
    window.removeEventListener("online", notify);
    window.removeEventListener("offline", notify);
  };
}

export function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="m-0 bg-ink px-5 py-2 text-center text-paper">
          You’re offline. Content may be out of date. Keep this tab open: when you’re back online, your changes to the
          open post are saved and uploads continue.
        </p>
      )}
    </div>
  );
}
