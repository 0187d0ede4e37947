import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { redirectToSignIn } from "../api/client.ts";
import { meQuery } from "../api/queries.ts";
import { ProposalBadge } from "../publishing/ProposalBadge.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ActiveStudioNotice } from "./ActiveStudioNotice.tsx";
import { Brand } from "./Brand.tsx";
import { StudioNav } from "./StudioNav.tsx";
import { AccountPanel } from "./AccountPanel.tsx";
import { StudioSwitcher } from "./StudioSwitcher.tsx";

/** The layout of every page of a studio: navigation, account and the page itself. */
export function StudioLayout() {
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me) {
    void redirectToSignIn();
    return null;
  }
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15.5rem_minmax(0,1fr)]">
      <aside className="sticky top-0 h-dvh flex-col gap-7 overflow-y-auto pt-8 pr-6 pb-6 pl-8 max-md:hidden md:flex">
        <Brand />
        <StudioSwitcher />
        <StudioNav />
        <AccountPanel />
      </aside>
      <TopBar />
      <main
        id="main"
        tabIndex={-1}
        className="w-full max-w-[66rem] px-[clamp(1.25rem,5vw,4.5rem)] pt-7 pb-24 outline-none md:border-l md:border-rule md:pt-[clamp(2rem,5vw,4.5rem)]"
      >
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
    <div className="sticky top-0 z-10 flex items-center justify-between gap-4 border-b border-rule bg-paper px-5 py-2.5 md:hidden">
      <StudioSwitcher isInTopBar />
      <Button variant="quiet" onClick={() => setIsOpen(true)} aria-haspopup="dialog">
        Menu
        <ProposalBadge />
      </Button>
      {isOpen && (
        <Dialog title="Menu" placement="right" onClose={() => setIsOpen(false)}>
          <div className="flex items-center justify-between">
            <Brand />
            <Button variant="quiet" onClick={() => setIsOpen(false)}>
              Close
            </Button>
          </div>
          <StudioNav />
          <AccountPanel />
        </Dialog>
      )}
    </div>
  );
}
