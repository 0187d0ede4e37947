import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Menu as MenuIcon, Search, SquarePen, X } from "lucide-react";
import { lazy, Suspense, useId, useState, useSyncExternalStore } from "react";
import { redirectToSignIn } from "../api/client.ts";
import { useLiveUpdates } from "../live/use-live-updates.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import { SidePanelSlot } from "../ui/SidePanel.tsx";
import { mediumScreenQuery } from "../ui/breakpoints.ts";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { useUploaderRegistry } from "../upload/uploader-registry.tsx";
import { AccountMenu } from "./AccountMenu.tsx";
import { ActiveStudioNotice } from "./ActiveStudioNotice.tsx";
import { Brand } from "./Brand.tsx";
import { CommandProvider } from "./CommandProvider.tsx";
import { useCommands } from "./commands.ts";
import { PublicationTotal } from "./PublicationBadges.tsx";
import { StudioNav } from "./StudioNav.tsx";
import { StudioSwitcher } from "./StudioSwitcher.tsx";
import { StudioContext, useStudio, useStudioAccess } from "./use-studio.ts";

/** Loaded on demand, because most visits have no uploads in the background. */
const BackgroundUploads = lazy(async () => ({
  default: (await import("../upload/BackgroundUploads.tsx")).BackgroundUploads,
}));

/** Loaded on demand, so that the first page does not wait for them. */
const MailNotice = lazy(async () => ({ default: (await import("./MailNotice.tsx")).MailNotice }));
const InboxBell = lazy(async () => ({ default: (await import("../notifications/InboxBell.tsx")).InboxBell }));

const route = getRouteApi("/studios/$studioId");

/** The layout of every page of a studio: navigation, account and the page itself. */
export function StudioLayout() {
  const access = useStudioAccess();
  useLiveUpdates(route.useParams().studioId);
  const [panelSlot, setPanelSlot] = useState<HTMLElement | null>(null);
  // Only one of the two is rendered, because both would delay the first page.
  const hasSidebar = useMediaQuery(mediumScreenQuery);
  if (!access) {
    void redirectToSignIn();
    return null;
  }
  return (
    <StudioContext value={access}>
      <CommandProvider>
        <SidePanelSlot value={panelSlot}>
          <div className="min-h-window md:grid md:grid-cols-[var(--sidebar-width)_minmax(0,1fr)_auto]">
            {hasSidebar ? <Sidebar /> : <TopBar />}
            <main
              id="main"
              tabIndex={-1}
              className="w-full max-w-[64rem] px-4 pt-5 pb-24 outline-none max-sm:pb-40 has-data-[page-width=wide]:max-w-[92rem] md:px-[clamp(1.5rem,3vw,2.5rem)] md:pt-8"
            >
              <ActiveStudioNotice />
              {access.studio.role === "owner" && (
                <Suspense>
                  <MailNotice key={access.studio.id} />
                </Suspense>
              )}
              <Outlet />
            </main>
            <div ref={setPanelSlot} />
            <UploadIndicator />
          </div>
        </SidePanelSlot>
      </CommandProvider>
    </StudioContext>
  );
}

function Sidebar() {
  return (
    <aside className="sticky top-notice h-window flex-col gap-3 overflow-y-auto border-r border-rule bg-sunken p-3 max-md:hidden md:flex">
      <div className="flex items-center gap-1.5">
        <div className="min-w-0 flex-1">
          <StudioSwitcher />
        </div>
        <LazyInboxBell className="size-control" />
      </div>
      <SearchAndCreate />
      <StudioNav />
      <div className="mt-auto">
        <AccountMenu />
      </div>
    </aside>
  );
}

/** Its place is empty until it is loaded, so that nothing moves. */
const LazyInboxBell = ({ className }: { className: string }) => (
  <Suspense fallback={<span className={`flex-none ${className}`} />}>
    <InboxBell className={className} />
  </Suspense>
);

function UploadIndicator() {
  const { subscribe, listBackground } = useUploaderRegistry();
  const uploads = useSyncExternalStore(subscribe, listBackground);
  return (
    uploads.length > 0 && (
      <Suspense>
        <BackgroundUploads uploads={uploads} />
      </Suspense>
    )
  );
}

function SearchAndCreate() {
  const { studio, may } = useStudio();
  const { openPalette } = useCommands();
  const navigate = useNavigate();
  return (
    <div className="flex items-center gap-1.5">
      <button
        type="button"
        className="flex min-h-control min-w-0 flex-1 cursor-pointer items-center gap-2.5 rounded-md border border-rule bg-raised px-2.5 text-left text-muted hover:border-control hover:text-ink"
        aria-haspopup="dialog"
        onClick={openPalette}
      >
        <Search size={16} className="flex-none" aria-hidden="true" />
        <span className="min-w-0 flex-1 truncate">Search</span>
        <span className="pointer-coarse:hidden">
          <Kbd keys="mod+k" />
        </span>
      </button>
      {may("posts.write") && (
        <IconButton
          icon={SquarePen}
          label="New post"
          shortcut="n"
          className="border border-rule bg-raised"
          onClick={() => void navigate({ to: "/studios/$studioId/posts/new", params: { studioId: studio.id } })}
        />
      )}
    </div>
  );
}

/** Replaces the sidebar on narrow screens; a button opens the navigation as a drawer. */
function TopBar() {
  const { openPalette } = useCommands();
  const { pathname } = useLocation();
  /** The page on which the navigation is open. Opening another page closes it. */
  const [openPathname, setOpenPathname] = useState<string>();
  if (openPathname !== undefined && openPathname !== pathname) setOpenPathname(undefined);
  const close = (): void => setOpenPathname(undefined);
  const [menuId, badgeId] = [useId(), useId()];
  return (
    <header className="sticky top-0 z-10 flex items-center gap-1 border-b border-rule bg-sunken px-2 py-1 md:hidden">
      <div className="min-w-0 flex-1">
        <StudioSwitcher />
      </div>
      <IconButton icon={Search} label="Search" className="size-11" onClick={openPalette} />
      <LazyInboxBell className="size-11" />
      <span className="relative">
        <IconButton
          id={menuId}
          icon={MenuIcon}
          label="Menu"
          className="size-11"
          onClick={() => setOpenPathname(pathname)}
          aria-haspopup="dialog"
          aria-labelledby={`${menuId} ${badgeId}`}
        />
        <span id={badgeId} className="pointer-events-none absolute top-0.5 right-0 flex">
          <PublicationTotal />
        </span>
      </span>
      {openPathname !== undefined && (
        <Dialog title="Menu" placement="right" onClose={close}>
          <div className="flex items-center justify-between pl-2.5">
            <Brand />
            <IconButton icon={X} label="Close menu" className="size-11" onClick={close} />
          </div>
          <StudioNav />
          <div className="mt-auto">
            <AccountMenu />
          </div>
        </Dialog>
      )}
    </header>
  );
}
