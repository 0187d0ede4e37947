import * as Toast from "@radix-ui/react-toast";
import { createContext, use, useCallback, useState, type ReactNode } from "react";

interface ToastMessage {
  text: string;
  /** What the button does, and the word on it. */
  undo?: { label: string; run: () => void };
}

const ToastContext = createContext<(notice: ToastMessage) => void>(() => {});

/** Says that something happened, and offers to take it back for a while. */
export const useToast = (): ((notice: ToastMessage) => void) => use(ToastContext);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(ToastMessage & { key: number })[]>([]);
  const showToast = useCallback((notice: ToastMessage) => {
    setToasts((shown) => [...shown.slice(-2), { ...notice, key: (shown.at(-1)?.key ?? 0) + 1 }]);
  }, []);
  const dismiss = (key: number): void => setToasts((shown) => shown.filter((toast) => toast.key !== key));

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
