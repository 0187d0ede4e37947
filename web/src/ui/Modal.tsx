import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { restoreFocus } from "./restore-focus.ts";

/** A native modal dialog: it traps the focus, closes with Escape and covers the page. */
export function Modal({
  title,
  onClose,
  children,
  isDrawer = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Opens at the edge of the page rather than in the middle. */
  isDrawer?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();

  // Close before React removes the element; otherwise the browser cannot restore the focus.
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
