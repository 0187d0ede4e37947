import { createContext, use, useCallback, useState, type ReactNode } from "react";
import { limitToasts, smallScreenQuery } from "./limit-toasts.ts";
import type { ToastList } from "./ToastList.tsx";

interface ToastMessage {
  text: string;
  /** The button, which reverts the change, leads to its result or tries again. */
  action?: { label: string; run: () => void };
  /** Until when the action is possible, in seconds after the text. The toast then closes, even under the pointer. */
  countdown?: { until: number; describe: (seconds: number) => string };
  /** Replaces an earlier toast with the same topic, such as one that reports progress. */
  topic?: string;
}

export interface ShownToast extends ToastMessage {
  key: number;
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Shows a message for a few seconds, with an optional button. */
export const useToast = (): ((message: ToastMessage) => void) => use(ToastContext);

/** Shows toasts in an open modal dialog until the returned function is called. */
type AddToastHost = (dialog: HTMLElement) => () => void;

const ToastHostContext = createContext<AddToastHost>(() => () => {});

export const useAddToastHost = (): AddToastHost => use(ToastHostContext);

/** Called before the first toast if possible: a toast often reports that the server can't be reached. */
export const loadToasts = () => import("./ToastList.tsx");

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const [List, setList] = useState<typeof ToastList>();
  const [hasListFailed, setHasListFailed] = useState(false);
  const showToast = useCallback((message: ToastMessage) => {
    const { topic } = message;
    setToasts((current) =>
      limitToasts(
        [
          ...current.filter((toast) => topic === undefined || toast.topic !== topic),
          { ...message, key: (current.at(-1)?.key ?? 0) + 1 },
        ],
        matchMedia(smallScreenQuery).matches,
      ),
    );
    // If the list can't be loaded, the next toast tries again.
    loadToasts().then(
      (module) => setList(() => module.ToastList),
      () => setHasListFailed(true),
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
      {!List && hasListFailed && <PlainToast toast={toasts.at(-1)} onDismiss={() => setToasts([])} />}
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
      className="fixed right-4 bottom-4 z-30 flex w-[min(26rem,calc(100vw-2rem))] items-start gap-1 rounded-lg bg-ink px-3.5 py-1.5 text-paper"
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
