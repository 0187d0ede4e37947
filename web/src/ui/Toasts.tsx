import { createContext, use, useCallback, useState, type ReactNode } from "react";
import { ToastHostContext } from "./toast-host.ts";
import type { ToastList } from "./ToastList.tsx";

interface ToastMessage {
  text: string;
  /** The button, which reverts the change or leads to its result. */
  undo?: { label: string; run: () => void };
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
  const showToast = useCallback((message: ToastMessage) => {
    const { topic } = message;
    setToasts((current) => [
      ...current.filter((toast) => topic === undefined || toast.topic !== topic).slice(-2),
      { ...message, key: (current.at(-1)?.key ?? 0) + 1 },
    ]);
    // Until the list is loaded, the messages are kept; the next toast tries again.
    loadToasts().then(
      (loaded) => setList(() => loaded.ToastList),
      () => {},
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
    </ToastContext>
  );
}
