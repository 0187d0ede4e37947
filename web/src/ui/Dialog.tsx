import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { restoreFocus } from "./restore-focus.ts";

const placementClasses = {
  center: "m-auto max-h-[calc(100dvh-2rem)] w-[min(34rem,calc(100vw-2rem))] animate-rise rounded-md border p-6 sm:p-9",
  right: "mr-0 ml-auto h-dvh max-h-none w-[min(20rem,85vw)] animate-slide flex-col gap-8 border-l px-6 py-5 open:flex",
};

/** A native modal dialog: it traps the focus, closes with Escape and covers the page. */
export function Dialog({
  title,
  onClose,
  children,
  placement = "center",
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  placement?: keyof typeof placementClasses;
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
      className={`max-w-none border-rule bg-paper text-ink backdrop:bg-black/50 ${placementClasses[placement]}`}
      aria-labelledby={headingId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={headingId} className={placement === "center" ? "text-2xl" : "sr-only"}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** The buttons at the end of a dialog. They stay visible while the rest of a long dialog scrolls. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-6 mt-3 -mb-6 flex flex-wrap justify-end gap-3 bg-paper pt-4 pb-6 max-sm:flex-col-reverse max-sm:*:w-full sm:-bottom-9 sm:-mb-9 sm:pb-9">
      {children}
    </div>
  );
}
