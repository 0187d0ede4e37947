import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useShortcut } from "../ui/use-shortcut.ts";
import { collectTyping, stopCollecting } from "./collect-typing.ts";
import { CommandContext } from "./commands.ts";
import { getNavLink, useNavItems } from "./nav-items.ts";
import { useStudio } from "./use-studio.ts";

const CommandPalette = lazy(() =>
  import("./CommandPalette.tsx").then((module) => ({ default: module.CommandPalette })),
);
const ShortcutHelp = lazy(() => import("./ShortcutHelp.tsx").then((module) => ({ default: module.ShortcutHelp })));

/** The command palette, the help sheet and the shortcuts that work on every page of a studio. */
export function CommandProvider({ children }: { children: ReactNode }) {
  const [openDialog, setOpenDialog] = useState<"palette" | "help">();
  useEffect(() => stopCollecting, []);
  const commands = useMemo(
    () => ({
      openPalette: () => {
        // The palette loads when it is first opened, and users type at once.
        collectTyping();
        setOpenDialog("palette");
      },
      openShortcutHelp: () => {
        stopCollecting();
        setOpenDialog("help");
      },
    }),
    [],
  );
  const close = (): void => setOpenDialog(undefined);
  return (
    <CommandContext value={commands}>
      <GlobalShortcuts {...commands} />
      {children}
      <Suspense>
        {openDialog === "palette" && <CommandPalette onClose={close} />}
        {openDialog === "help" && <ShortcutHelp onClose={close} />}
      </Suspense>
    </CommandContext>
  );
}

function GlobalShortcuts({ openPalette, openShortcutHelp }: Record<"openPalette" | "openShortcutHelp", () => void>) {
  const { studio, may } = useStudio();
  const navigate = useNavigate();
  useShortcut({ keys: "mod+k", label: "Search and commands", run: openPalette });
  useShortcut({ keys: "/", label: "Search this page", run: () => focusSearch() || openPalette() });
  useShortcut({ keys: "?", label: "Keyboard shortcuts", run: openShortcutHelp });
  useShortcut({
    keys: "n",
    label: "New post",
    isEnabled: may("posts.write"),
    run: () => void navigate({ to: "/studios/$studioId/posts/new", params: { studioId: studio.id } }),
  });
  return useNavItems().map((item) => <GoToShortcut key={item.page} {...item} />);
}

function GoToShortcut({ page, label, keys }: ReturnType<typeof useNavItems>[number]) {
  const { studio } = useStudio();
  const navigate = useNavigate();
  useShortcut({
    keys,
    label,
    group: "Go to",
    run: () => void navigate(getNavLink(page, studio.id)),
  });
  return null;
}

/** Focuses the search field of the page; returns whether there is one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}
