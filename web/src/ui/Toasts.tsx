import { X } from "lucide-react";
import { Toast } from "radix-ui";
import { createContext, use, useCallback, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { ToastHostContext } from "./toast-host.ts";

interface ToastMessage {
  text: string;
  /** The button, which reverts the change or leads to its result. */
  undo?: { label: string; run: () => void };
  /** Replaces an earlier toast with the same topic, such as one that reports progress. */
  topic?: string;
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Shows a message for a few seconds, with an optional button. */
export const useToast = (): ((message: ToastMessage) => void) => use(ToastContext);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(ToastMessage & { key: number })[]>([]);
  const showToast = useCallback((message: ToastMessage) => {
    const { topic } = message;
    setToasts((current) => [
      ...current.filter((toast) => topic === undefined || toast.topic !== topic).slice(-2),
      { ...message, key: (current.at(-1)?.key ?? 0) + 1 },
    ]);
  }, []);
  const [hosts, setHosts] = useState<readonly HTMLElement[]>([]);
  const addHost = useCallback((host: HTMLElement) => {
    setHosts((current) => [...current, host]);
    return () => setHosts((current) => current.filter((other) => other !== host));
  }, []);
  // The browser hides everything outside of the topmost dialog from the pointer and from screen readers.
  const host = hosts.at(-1);
  const dismiss = (key: number): void => setToasts((current) => current.filter((toast) => toast.key !== key));

  return (
    <ToastContext value={showToast}>
      <Toast.Provider swipeDirection="down" duration={8000} announcerContainer={host}>
        <ToastHostContext value={addHost}>{children}</ToastHostContext>
        {toasts.map(({ key, text, undo }) => (
          <Toast.Root
            key={key}
            className="flex animate-rise items-start gap-1 rounded-lg bg-ink py-1.5 pr-1.5 pl-3.5 text-paper shadow-overlay forced-colors:border"
            onOpenChange={(open) => open || dismiss(key)}
          >
            <Toast.Description className="min-w-0 flex-1 py-1.5 [overflow-wrap:anywhere]">{text}</Toast.Description>
            {undo && (
              <Toast.Action
                className="min-h-control cursor-pointer rounded-md px-2.5 font-semibold whitespace-nowrap hover:bg-paper/15 focus-visible:outline-paper"
                altText={undo.label}
                onClick={undo.run}
              >
                {undo.label}
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
    </ToastContext>
  );
}

/** Above a selection bar, which is at the bottom too. */
const ToastViewport = () => (
  <Toast.Viewport className="fixed right-4 bottom-4 z-50 grid w-[min(26rem,calc(100vw-2rem))] gap-2 [body:has([data-selection-bar])_&]:bottom-20" />
);
