import { Outlet } from "@tanstack/react-router";
import { OfflineNotice } from "./OfflineNotice.tsx";

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
