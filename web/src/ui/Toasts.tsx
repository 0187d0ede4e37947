import { createContext, use, useCallback, useState, type ReactNode } from "react";
import { ToastHostContext } from "./toast-host.ts";
import type { ToastList } from "./ToastList.tsx";

interface ToastMessage {
  text: string;
  /** The button, which reverts the change, leads to its result or tries again. */
  action?: { label: string; run: () => void };
  /** Replaces an earlier toast with the same topic, such as one that reports progress. */
  topic?: string;
}

export interface ShownToast extends ToastMessage {
  key: number;
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Shows a message for a few seconds, with an optional button. */
export const useToast = (): ((message: ToastMessage) => void) => use(ToastContext);

/** Loaded with the first toast, or before it: a toast often reports that the server can't be reached. */
export const loadToasts = () => import("./ToastList.tsx");

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const [List, setList] = useState<typeof ToastList>();
  const [isListMissing, setIsListMissing] = useState(false);
  const showToast = useCallback((message: ToastMessage) => {
    const { topic } = message;
    setToasts((current) => [
      ...current.filter((toast) => topic === undefined || toast.topic !== topic).slice(-2),
      { ...message, key: (current.at(-1)?.key ?? 0) + 1 },
    ]);
    // Until the list is loaded, the messages are kept; the next toast tries again.
    loadToasts().then(
      (loaded) => setList(() => loaded.ToastList),
      () => setIsListMissing(true),
    );
  }, []);
  const [hosts, setHosts] = useState<readonly HTMLElement[]>([]);
  const addHost = useCallback((host: HTMLElement) => {
    setHosts((current) => [...current, host]);
    return () => setHosts((current) => current.filter((other) => other !== host));
  }, []);
  const dismiss = (key: number): void => setToasts((current) => current.filter((toast) => toast.key !== key));

  return (
    <ToastContext value={showToast}>
      <ToastHostContext value={addHost}>{children}</ToastHostContext>
      {/* The browser hides everything outside of the topmost dialog from the pointer and from screen readers. */}
      {List && <List toasts={toasts} host={hosts.at(-1)} onDismiss={dismiss} />}
      {!List && isListMissing && <PlainToast toast={toasts.at(-1)} onDismiss={() => setToasts([])} />}
    </ToastContext>
  );
}

/** Shows the last toast if the code of the list can't be loaded. */
function PlainToast({ toast, onDismiss }: { toast: ShownToast | undefined; onDismiss: () => void }) {
  if (!toast) return null;
  const { text, action } = toast;
  return (
    <div
      role="alert"
      className="fixed right-4 bottom-4 z-50 flex w-[min(26rem,calc(100vw-2rem))] items-start gap-1 rounded-lg bg-ink px-3.5 py-1.5 text-paper"
    >
      <p className="m-0 min-w-0 flex-1 py-1.5">{text}</p>
      <button
        type="button"
        className="min-h-control cursor-pointer px-2.5 font-semibold whitespace-nowrap"
        onClick={() => {
          onDismiss();
          action?.run();
        }}
      >
        {action?.label ?? "Dismiss"}
      </button>
    </div>
  );
}
