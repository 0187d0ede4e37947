import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { keepFocus } from "./keep-focus.ts";

/** The browser's own dialog: it keeps the focus, closes with Escape and covers the rest of the page. */
export function Modal({
  title,
  onClose,
  children,
  side = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Along the edge of the page rather than in its middle. */
  side?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();

  // Closed while it is still on the page, or the browser could not give the focus back to where it came from.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      keepFocus();
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={side ? "drawer" : "modal"}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={heading} className={side ? "sr-only" : "text-2xl"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
