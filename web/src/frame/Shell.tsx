import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { goToSignIn } from "../api/client.ts";
import { meQuery } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { Modal } from "../ui/Modal.tsx";
import { ActiveNotice } from "./ActiveNotice.tsx";
import { Brand } from "./Brand.tsx";
import { Places } from "./Places.tsx";
import { SignedInAs } from "./SignedInAs.tsx";
import { StudioSwitcher } from "./StudioSwitcher.tsx";

/** A studio's pages: where one is, where one can go, and the page itself. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery);
  if (!me) {
    void goToSignIn();
    return null;
  }
  return (
    <div className="shell">
      <aside className="rail">
        <Brand />
        <StudioSwitcher />
        <Places />
        <SignedInAs />
      </aside>
      <TopBar />
      <main id="main" tabIndex={-1}>
        <ActiveNotice />
        <Outlet />
      </main>
    </div>
  );
}

/** On a narrow page the rail is folded away behind a button. */
function TopBar() {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <div className="topbar">
      <StudioSwitcher />
      <Button look="quiet" onClick={() => setOpen(true)} aria-haspopup="dialog">
        Menu
      </Button>
      {open && (
        <Modal title="Menu" side onClose={() => setOpen(false)}>
          <div className="flex items-center justify-between">
            <Brand />
            <Button look="quiet" onClick={() => setOpen(false)}>
              Close
            </Button>
          </div>
          <Places />
          <SignedInAs />
        </Modal>
      )}
    </div>
  );
}
