import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";

/** The open dialogs, the topmost last. */
const openDialogs: symbol[] = [];

export const hasOpenDialog = (): boolean => openDialogs.length > 0;

/** Closes the topmost dialog, if `shouldClose`, instead of leaving the page, when the user goes back. */
export function useCloseOnBack(onClose: () => void, shouldClose: () => boolean): void {
  const { history } = useRouter();
  const close = useEffectEvent(onClose);
  const canClose = useEffectEvent(shouldClose);
  useEffect(() => {
    const dialog = Symbol("dialog");
    openDialogs.push(dialog);
    const unblock = history.block({
      blockerFn: async ({ action }) => {
        if (action !== "BACK" || openDialogs.at(-1) !== dialog || !canClose()) return false;
        // When the router has returned to this entry of the browser's history: closing may replace the entry.
        addEventListener("popstate", () => close(), { once: true });
        return true;
      },
      enableBeforeUnload: false,
    });
    return () => {
      unblock();
      openDialogs.splice(openDialogs.indexOf(dialog), 1);
    };
  }, [history]);
}
