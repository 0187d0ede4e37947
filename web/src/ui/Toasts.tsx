import * as Toast from "@radix-ui/react-toast";
import { createContext, use, useCallback, useState, type ReactNode } from "react";

interface ToastMessage {
  text: string;
  /** The button that reverts the change. */
  undo?: { label: string; run: () => void };
}

const ToastContext = createContext<(message: ToastMessage) => void>(() => {});

/** Reports a change for a few seconds, with an optional button to undo it. */
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
          <Toast.Root key={key} className="toast" onOpenChange={(open) => open || dismiss(key)}>
            <Toast.Description>{text}</Toast.Description>
            {undo && (
              <Toast.Action className="bare underline" altText={undo.label} onClick={undo.run}>
                {undo.label}
              </Toast.Action>
            )}
            <Toast.Close className="bare opacity-70" aria-label="Dismiss">
              ×
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="toasts" />
      </Toast.Provider>
    </ToastContext>
  );
}
