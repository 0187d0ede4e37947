import { useId, useLayoutEffect, useRef, useState, type MouseEvent, type ReactNode } from "react";
import { OverlayProvider } from "./overlay.ts";
import { restoreFocus } from "./restore-focus.ts";
import { useAddToastHost } from "./Toasts.tsx";
import { useCloseOnBack } from "./use-close-on-back.ts";

const placementClasses = {
  center: "m-auto max-h-[calc(100dvh-1rem)] animate-rise rounded-lg p-5 sm:p-6",
  /** For a list that changes its height while the user types. */
  top: "mx-auto mt-[clamp(0.5rem,12vh,8rem)] mb-auto max-h-[calc(100dvh-1rem)] max-sm:mt-2 animate-rise overflow-hidden rounded-lg p-0",
  right: "mr-0 ml-auto h-dvh max-h-none w-[min(19rem,85vw)] animate-slide flex-col gap-5 p-3 open:flex",
  /** On a phone, it covers the whole screen. */
  panel: "mr-0 ml-auto h-dvh max-h-none w-[min(28rem,100vw)] animate-slide flex-col p-0 open:flex",
};

const widthClasses = {
  medium: "w-[min(32rem,calc(100vw-1rem))]",
  large: "w-[min(52rem,calc(100vw-1rem))]",
};

/**
 * A native modal dialog: it traps the focus, closes with Escape and covers the page. Only one in the center, which may
 * contain unsaved input, stays open after a click on its backdrop.
 */
export function Dialog({
  title,
  subtitle,
  onClose,
  children,
  placement = "center",
  size = "medium",
  isTitleHidden = placement !== "center",
  closesOnBackdropClick = placement !== "center",
  shouldCloseOnBack = () => true,
}: {
  title: string;
  /** What the dialog is about, such as the title of a post, which can be long. */
  subtitle?: string | undefined;
  onClose: () => void;
  children: ReactNode;
  placement?: keyof typeof placementClasses;
  /** The width of a dialog in the center or at the top. */
  size?: keyof typeof widthClasses;
  /** Whether the dialog has its own header instead. */
  isTitleHidden?: boolean;
  closesOnBackdropClick?: boolean;
  /** Whether going back closes the dialog. Not needed if that leads to a URL without the dialog. */
  shouldCloseOnBack?: () => boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const headingId = useId();
  const subtitleId = useId();
  const addToastHost = useAddToastHost();
  useCloseOnBack(onClose, shouldCloseOnBack);

  // Close before React removes the element; otherwise the browser cannot restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    setContainer(element);
    openers.set(element, document.activeElement);
    element.showModal();
    const removeToastHost = addToastHost(element);
    return () => {
      removeToastHost();
      element.close();
      focusOpener(element);
      restoreFocus();
    };
  }, [addToastHost]);

  // Selecting text must not close the dialog if the pointer leaves it before the user releases the button.
  const hasPressStartedOnBackdrop = useRef(false);
  const isWidthSet = placement === "center" || placement === "top";
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={`max-w-none bg-raised text-ink shadow-overlay outline-none backdrop:bg-black/35 forced-colors:border ${placementClasses[placement]} ${isWidthSet ? widthClasses[size] : ""}`}
      aria-labelledby={subtitle === undefined ? headingId : `${headingId} ${subtitleId}`}
      data-own-header={isTitleHidden || undefined}
      data-placement={placement}
      onCancel={(event) => {
        // React passes on the event of a dialog that this one has opened.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        hasPressStartedOnBackdrop.current = isOnBackdrop(event);
      }}
      onClick={(event) => {
        if (closesOnBackdropClick && hasPressStartedOnBackdrop.current && isOnBackdrop(event)) onClose();
      }}
    >
      <OverlayProvider value={container}>
        <h2 id={headingId} className={isTitleHidden ? "sr-only" : "text-xl"}>
          {title}
        </h2>
        {subtitle !== undefined && (
          <p id={subtitleId} className="mt-1 line-clamp-2 text-muted [overflow-wrap:anywhere]">
            {subtitle}
          </p>
        )}
        {children}
      </OverlayProvider>
    </dialog>
  );
}

/** The element that was focused when a dialog opened. */
const openers = new WeakMap<HTMLDialogElement, Element | null>();

/** Restores the focus where the browser does not: if the dialog was opened from a dialog that has closed before it. */
function focusOpener(dialog: HTMLDialogElement): void {
  const { activeElement } = document;
  if (activeElement !== document.body && !dialog.contains(activeElement)) return;
  let opener = openers.get(dialog);
  for (let closedDialog = findClosedDialog(opener); closedDialog; closedDialog = findClosedDialog(opener))
    opener = openers.get(closedDialog);
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
}

const findClosedDialog = (element: Element | null | undefined): HTMLDialogElement | null | undefined =>
  element?.closest<HTMLDialogElement>("dialog:not([open])");

/** The browser dispatches events of the backdrop, and of the dialog's padding, to the dialog itself. */
function isOnBackdrop({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  if (target !== currentTarget) return false;
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** The buttons at the end of a dialog. They stay visible while the rest of a long dialog scrolls. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 mt-2 -mb-5 flex flex-wrap justify-end gap-2 bg-raised pt-4 pb-5 max-sm:flex-col-reverse max-sm:*:w-full sm:-bottom-6 sm:-mb-6 sm:pb-6">
      {children}
    </div>
  );
}
