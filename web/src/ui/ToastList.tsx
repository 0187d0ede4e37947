import { X } from "lucide-react";
import { Toast } from "radix-ui";
import { useEffect, useEffectEvent, useState } from "react";
import { createPortal } from "react-dom";
import { bottomClasses } from "./bottom-classes.ts";
import { smallScreenQuery } from "./limit-toasts.ts";
import type { ShownToast } from "./Toasts.tsx";
import { useMediaQuery } from "./use-media-query.ts";

/** Open menus cover the toasts. */
const viewportClasses = "fixed right-4 z-30 grid w-[min(26rem,calc(100vw-2rem))] gap-2";
const sideClasses = {
  bottom: bottomClasses,
  /** In a dialog on a small screen, whose buttons are at the bottom, but not in the menu, whose links are at the top. */
  top: "top-2 [[data-own-header]_&]:top-23",
  /** Below the header of a phone: at the bottom, it would cover the place of the button that the user has just pressed. */
  belowHeader: "top-16",
};

/** Longer than a double click: what appears under the pointer must not take its second click. */
const settleMs = 1000;

/** Not the menu; of the panels, only those that the user can write in. */
const mayHaveButtonsAtBottom = (dialog: HTMLElement): boolean => {
  const { placement } = dialog.dataset;
  return placement === "panel" ? dialog.querySelector("textarea") !== null : placement !== "right";
};

function getSmallScreenSide(toasts: readonly ShownToast[], host: HTMLElement | undefined): keyof typeof sideClasses {
  if (host) return mayHaveButtonsAtBottom(host) ? "top" : "bottom";
  return toasts.some(({ countdown }) => countdown) ? "belowHeader" : "bottom";
}

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
  const isSmallScreen = useMediaQuery(smallScreenQuery);
  const side = isSmallScreen ? getSmallScreenSide(toasts, host) : "bottom";
  const viewport = <Toast.Viewport className={`${viewportClasses} ${sideClasses[side]}`} />;
  return (
    <Toast.Provider swipeDirection={side === "bottom" ? "down" : "up"} duration={8000} announcerContainer={host}>
      {toasts.map((toast) => (
        <ToastItem key={toast.key} toast={toast} onDismiss={() => onDismiss(toast.key)} />
      ))}
      {host ? createPortal(viewport, host) : viewport}
    </Toast.Provider>
  );
}

function ToastItem({ toast: { text, action, countdown }, onDismiss }: { toast: ShownToast; onDismiss: () => void }) {
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), settleMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Toast.Root
      className={`flex animate-rise items-center gap-1 rounded-lg bg-ink py-1.5 pr-1.5 pl-3.5 text-paper shadow-overlay forced-colors:border ${isSettled ? "" : "pointer-events-none"}`}
      {...(countdown && { duration: Infinity })}
      onOpenChange={(open) => open || onDismiss()}
      // A tap must not focus the toast, which would then stay until the focus leaves it.
      onMouseDown={(event) => event.preventDefault()}
    >
      <Toast.Description className="min-w-0 flex-1 py-1.5 [overflow-wrap:anywhere]">
        {text}
        {countdown && <Countdown {...countdown} onEnd={onDismiss} />}
      </Toast.Description>
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
  );
}

/** Screen readers announce only its first text, with the toast. */
function Countdown({
  until,
  describe,
  onEnd,
}: NonNullable<ShownToast["countdown"]> & {
  onEnd: () => void;
}) {
  const [now, setNow] = useState(() => Date.now());
  const handleTick = useEffectEvent(() => {
    setNow(Date.now());
    if (Date.now() >= until) onEnd();
  });
  useEffect(() => {
    const timer = setInterval(handleTick, 200);
    return () => clearInterval(timer);
  }, []);
  return <span className="tabular-nums"> {describe(Math.max(0, Math.ceil((until - now) / 1000)))}</span>;
}
