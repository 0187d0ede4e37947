import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { restoreFocus } from "./restore-focus.ts";

/** The browser's own dialog: it keeps the focus, closes with Escape and covers the rest of the page. */
export function Modal({
  title,
  onClose,
  children,
  side: isDrawer = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Along the edge of the page rather than in its middle. */
  side?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();

  // Closed while it is still on the page, or the browser could not give the focus back to where it came from.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      restoreFocus();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={isDrawer ? "drawer" : "modal"}
      aria-labelledby={headingId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={headingId} className={isDrawer ? "sr-only" : "text-2xl"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
