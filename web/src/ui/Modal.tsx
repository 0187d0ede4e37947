import { useEffect, useId, useRef, type ReactNode } from "react";

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

  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
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
