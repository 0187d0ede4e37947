import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { redirectToSignIn } from "../api/client.ts";
import { meQuery } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { Modal } from "../ui/Modal.tsx";
import { ActiveStudioNotice } from "./ActiveStudioNotice.tsx";
import { Brand } from "./Brand.tsx";
import { StudioNav } from "./StudioNav.tsx";
import { AccountPanel } from "./AccountPanel.tsx";
import { StudioSwitcher } from "./StudioSwitcher.tsx";

/** The frame around every page of a studio: navigation, account and the page itself. */
export function StudioLayout() {
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me) {
    void redirectToSignIn();
    return null;
  }
  return (
    <div className="shell">
      <aside className="rail">
        <Brand />
        <StudioSwitcher />
        <StudioNav />
        <AccountPanel />
      </aside>
      <TopBar />
      <main id="main" tabIndex={-1}>
        <ActiveStudioNotice />
        <Outlet />
      </main>
    </div>
  );
}

/** Replaces the sidebar on narrow screens; a button opens it as a drawer. */
function TopBar() {
  const [isOpen, setIsOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setIsOpen(false), [pathname]);
  return (
    <div className="topbar">
      <StudioSwitcher />
      <Button variant="quiet" onClick={() => setIsOpen(true)} aria-haspopup="dialog">
        Menu
      </Button>
      {isOpen && (
        <Modal title="Menu" isDrawer onClose={() => setIsOpen(false)}>
          <div className="flex items-center justify-between">
            <Brand />
            <Button variant="quiet" onClick={() => setIsOpen(false)}>
              Close
            </Button>
          </div>
          <StudioNav />
          <AccountPanel />
        </Modal>
      )}
    </div>
  );
}
