import { useRouter } from "@tanstack/react-router";
import { useEffectEvent, useLayoutEffect } from "react";

/** The open dialogs, the topmost last. */
const openDialogs: symbol[] = [];

export const hasOpenDialog = (): boolean => openDialogs.length > 0;

/**
 * When the user goes back while this dialog is the topmost one, closes it instead of leaving the page, if
 * `shouldClose()` returns true.
 */
export function useCloseOnBack(onClose: () => void, shouldClose: () => boolean): void {
  const { history } = useRouter();
  const close = useEffectEvent(onClose);
  const canClose = useEffectEvent(shouldClose);
  // Before the browser paints, so that going back closes the dialog as soon as the user sees it.
  useLayoutEffect(() => {
    const dialog = Symbol("dialog");
    openDialogs.push(dialog);
    const unblock = history.block({
      blockerFn: async ({ action }) => {
        if (action !== "BACK" || openDialogs.at(-1) !== dialog || !canClose()) return false;
        // Only after the router has returned to this page's history entry, because `onClose` may replace the current one.
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
