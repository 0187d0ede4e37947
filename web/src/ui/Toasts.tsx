import * as Toast from "@radix-ui/react-toast";
import { createContext, use, useCallback, useState, type ReactNode } from "react";

interface ToastMessage {
  text: string;
  /** The button that reverts the change. */
  undo?: { label: string; run: () => void };
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Shows a message for a few seconds, with an optional button that reverts the change. */
export const useToast = (): ((message: ToastMessage) => void) => use(ToastContext);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(ToastMessage & { key: number })[]>([]);
  const showToast = useCallback((message: ToastMessage) => {
    setToasts((current) => [...current.slice(-2), { ...message, key: (current.at(-1)?.key ?? 0) + 1 }]);
  }, []);
  const dismiss = (key: number): void => setToasts((current) => current.filter((toast) => toast.key !== key));

  return (
    <ToastContext value={showToast}>
      <Toast.Provider swipeDirection="down" duration={8000}>
        {children}
        {toasts.map(({ key, text, undo }) => (
          <Toast.Root
            key={key}
            className="grid animate-rise grid-cols-[minmax(0,1fr)_auto_auto] items-start gap-4 rounded-sm bg-ink px-4 py-3.5 text-paper forced-colors:border"
            onOpenChange={(open) => open || dismiss(key)}
          >
            <Toast.Description>{text}</Toast.Description>
            {undo && (
              <Toast.Action className="cursor-pointer underline" altText={undo.label} onClick={undo.run}>
                {undo.label}
              </Toast.Action>
            )}
            <Toast.Close className="cursor-pointer opacity-70" aria-label="Dismiss">
              ×
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-4 bottom-4 z-40 grid w-[min(28rem,calc(100vw-2rem))] gap-2" />
      </Toast.Provider>
    </ToastContext>
  );
}
