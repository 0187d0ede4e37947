import type { RefObject } from "react";
import { loadMenu } from "../ui/load-menu.ts";
import { useShortcut } from "../ui/use-shortcut.ts";

/** J and K move the focus between the posts in the container, a period opens the menu of the focused one. */
export function useRowKeys(container: RefObject<HTMLElement | null>): void {
  const group = "Posts";

  function focusNeighbor(step: 1 | -1): void {
    const rows = [...(container.current?.querySelectorAll("li") ?? [])];
    const index = rows.findIndex((candidate) => candidate.contains(document.activeElement));
    const row = index < 0 ? rows.find(isInView) : rows[index + step];
    row?.querySelector("a")?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  async function openMenu(): Promise<void> {
    await loadMenu().catch(() => {});
    const row = document.activeElement?.closest("li");
    if (!row || !container.current?.contains(row)) return;
    const findButton = () => row.querySelector<HTMLElement>("button[aria-haspopup=menu]");
    findButton()?.focus();
    // `Menu` mounts its menu on focus. A menu that is opened by a key highlights its first item.
    setTimeout(() =>
      findButton()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })),
    );
  }

  useShortcut({
    keys: "j",
    label: "Focus the next post",
    group,
    canRepeat: true,
    needsFocus: true,
    run: () => focusNeighbor(1),
  });
  useShortcut({
    keys: "k",
    label: "Focus the previous post",
    group,
    canRepeat: true,
    needsFocus: true,
    run: () => focusNeighbor(-1),
  });
  useShortcut({
    keys: ".",
    label: "Open the menu of the focused post",
    group,
    needsFocus: true,
    run: () => void openMenu(),
  });
}

/** A virtual list also has rows above the window. */
const isInView = (row: Element): boolean => row.getBoundingClientRect().top >= 0;
