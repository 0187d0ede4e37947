import type { MountedMenu } from "./MountedMenu.tsx";

let mountedMenu: typeof MountedMenu | undefined;

/** Undefined until `loadMenu` has resolved. */
export const getMountedMenu = (): typeof MountedMenu | undefined => mountedMenu;

/** Loads what a menu needs to open. Rejects if it can't be loaded; the next call tries again. */
export async function loadMenu(): Promise<typeof MountedMenu> {
  return (mountedMenu ??= (await import("./MountedMenu.tsx")).MountedMenu);
}
