import { X } from "lucide-react";
import { createContext, use, useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { Dialog } from "./Dialog.tsx";
import { IconButton } from "./IconButton.tsx";
import { isComposing } from "./is-composing.ts";
import { restoreFocus } from "./restore-focus.ts";
import { useMediaQuery } from "./use-media-query.ts";

/** The layout's column beside the content, which side panels are rendered into. */
export const SidePanelSlot = createContext<HTMLElement | null>(null);

interface SidePanelProps {
  title: string;
  onClose: () => void;
  /** Controls beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Details beside the content. On narrow screens it covers the page, as a dialog. */
export function SidePanel(props: SidePanelProps) {
  const slot = use(SidePanelSlot);
  const hasRoom = useMediaQuery("(min-width: 75rem)");
  if (hasRoom && slot) return createPortal(<PanelColumn {...props} />, slot);
  return (
    <Dialog title={props.title} isTitleHidden placement="panel" onClose={props.onClose}>
      <PanelHeader {...props} />
      <div className="min-h-0 flex-1 overflow-y-auto p-4">{props.children}</div>
    </Dialog>
  );
}

function PanelColumn(props: SidePanelProps) {
  const headingId = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const previousFocus = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected)
        previousFocus.focus({ preventScroll: true });
      restoreFocus();
    };
  }, []);

  /** Escape closes the panel, unless a menu or field used it. Prevents the default, so that nothing else uses it. */
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    props.onClose();
  }

  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby={headingId}
      className="sticky top-notice flex h-window w-[clamp(20rem,27vw,26rem)] animate-fade flex-col border-l border-rule bg-paper outline-none"
      onKeyDown={handleKeyDown}
    >
      <PanelHeader {...props} headingId={headingId} />
      <div className="min-h-0 flex-1 overflow-y-auto p-4">{props.children}</div>
    </aside>
  );
}

function PanelHeader({ title, actions, onClose, headingId }: SidePanelProps & { headingId?: string }) {
  return (
    <header className="flex min-h-13 items-center gap-2 border-b border-rule py-1.5 pr-2 pl-4">
      {/* In a dialog, the dialog's own hidden heading has this text. */}
      {headingId === undefined ? (
        <span aria-hidden="true" className="min-w-0 flex-1 truncate font-semibold">
          {title}
        </span>
      ) : (
        <h2 id={headingId} className="min-w-0 flex-1 truncate text-base">
          {title}
        </h2>
      )}
      {actions}
      <IconButton icon={X} label="Close panel" onClick={onClose} />
    </header>
  );
}
