import { Outlet } from "@tanstack/react-router";
import { OfflineNotice } from "./OfflineNotice.tsx";

/** Around every page. */
export function RootLayout() {
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <OfflineNotice />
      <Outlet />
    </>
  );
}
