import { X } from "lucide-react";
import { Toast } from "radix-ui";
import { createPortal } from "react-dom";
import type { ShownToast } from "./Toasts.tsx";

/** Shows the toasts, in the topmost dialog if one is open. */
export function ToastList({
  toasts,
  host,
  onDismiss,
}: {
  toasts: readonly ShownToast[];
  host: HTMLElement | undefined;
  onDismiss: (key: number) => void;
}) {
  return (
    <Toast.Provider swipeDirection="down" duration={8000} announcerContainer={host}>
      {toasts.map(({ key, text, action }) => (
        <Toast.Root
          key={key}
          className="flex animate-rise items-center gap-1 rounded-lg bg-ink py-1.5 pr-1.5 pl-3.5 text-paper shadow-overlay forced-colors:border"
          onOpenChange={(open) => open || onDismiss(key)}
        >
          <Toast.Description className="min-w-0 flex-1 py-1.5 [overflow-wrap:anywhere]">{text}</Toast.Description>
          {action && (
            <Toast.Action
              className="min-h-control cursor-pointer rounded-md px-2.5 font-semibold whitespace-nowrap hover:bg-paper/15 focus-visible:outline-paper"
              altText={action.label}
              onClick={action.run}
            >
              {action.label}
            </Toast.Action>
          )}
          <Toast.Close
            className="grid size-control flex-none cursor-pointer place-items-center rounded-md opacity-70 hover:bg-paper/15 hover:opacity-100 focus-visible:outline-paper"
            aria-label="Dismiss"
          >
            <X size={16} aria-hidden="true" />
          </Toast.Close>
        </Toast.Root>
      ))}
      {host ? createPortal(<ToastViewport />, host) : <ToastViewport />}
    </Toast.Provider>
  );
}

/** At the bottom of the screen, moved up while a selection bar is shown there. Open menus cover it. */
const ToastViewport = () => (
  <Toast.Viewport className="fixed right-4 bottom-4 z-30 grid w-[min(26rem,calc(100vw-2rem))] gap-2 [body:has([data-selection-bar])_&]:bottom-20" />
);
