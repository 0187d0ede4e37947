import { isRecord } from "./bridge.ts";
import type { HostContext } from "./host.ts";

/** Our design tokens, and the host's variables that replace them. */
const variables: Record<string, string> = {
  "--paper": "--color-background-primary",
  "--raised": "--color-background-secondary",
  "--ink": "--color-text-primary",
  "--muted": "--color-text-secondary",
  "--rule": "--color-border-primary",
  "--sans": "--font-sans",
};

/** Applies the host's theme, colors, font and safe area. */
export function applyContext({ theme, styles, safeAreaInsets }: HostContext): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  const hostVariables = isRecord(styles) && isRecord(styles["variables"]) ? styles["variables"] : {};
  for (const [name, hostName] of Object.entries(variables)) {
    const value = hostVariables[hostName];
    if (typeof value === "string") root.style.setProperty(name, value);
  }
  if (!isRecord(safeAreaInsets)) return;
  for (const side of ["top", "right", "bottom", "left"]) {
    const inset = safeAreaInsets[side];
    if (typeof inset === "number") document.body.style.setProperty(`padding-${side}`, `${inset}px`);
  }
}
