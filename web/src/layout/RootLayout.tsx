import { Outlet } from "@tanstack/react-router";
import { OfflineNotice } from "./OfflineNotice.tsx";

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
