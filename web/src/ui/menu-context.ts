import type { DropdownMenu } from "radix-ui";
import { createContext, use } from "react";

/** Radix's parts of a menu, which are loaded on demand. */
export const RadixMenuContext = createContext<typeof DropdownMenu | undefined>(undefined);

/** For the items of a menu. */
export function useRadixMenu(): typeof DropdownMenu {
  const radixMenu = use(RadixMenuContext);
  if (!radixMenu) throw new Error("an item of a menu needs a Menu");
  return radixMenu;
}
