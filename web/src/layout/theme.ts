import { Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

export const themes = [
  { theme: "system", label: "System", icon: Monitor },
  { theme: "light", label: "Light", icon: Sun },
  { theme: "dark", label: "Dark", icon: Moon },
] as const satisfies readonly { theme: Theme; label: string; icon: LucideIcon }[];

/** web/public/theme.js reads the same key before the first paint. */
const storageKey = "theme";
const changeEvent = "themechange";

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function applyTheme(theme: string | null): void {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
  window.dispatchEvent(new Event(changeEvent));
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, theme);
  applyTheme(theme);
}

function subscribe(notify: () => void): () => void {
  // A change in another tab applies here too.
  const handleStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === storageKey) applyTheme(newValue);
  };
  window.addEventListener("storage", handleStorage);
  window.addEventListener(changeEvent, notify);
  return () => {
    window.removeEventListener("storage", handleStorage);
    window.removeEventListener(changeEvent, notify);
  };
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
