import * as Toast from "@radix-ui/react-toast";
import { createContext, use, useCallback, useState, type ReactNode } from "react";

interface Notice {
  text: string;
  /** What the button does, and the word on it. */
  undo?: { label: string; run: () => void };
}

const Saying = createContext<(notice: Notice) => void>(() => {});

/** Says that something happened, and offers to take it back for a while. */
export const useToast = (): ((notice: Notice) => void) => use(Saying);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<(Notice & { key: number })[]>([]);
  const say = useCallback((notice: Notice) => {
    setNotices((shown) => [...shown.slice(-2), { ...notice, key: (shown.at(-1)?.key ?? 0) + 1 }]);
  }, []);
  const drop = (key: number): void => setNotices((shown) => shown.filter((one) => one.key !== key));

  return (
    <Saying value={say}>
      <Toast.Provider swipeDirection="down" duration={8000}>
        {children}
        {notices.map(({ key, text, undo }) => (
          <Toast.Root key={key} className="toast" onOpenChange={(open) => open || drop(key)}>
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
    </Saying>
  );
}
