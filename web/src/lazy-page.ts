import { lazyRouteComponent } from "@tanstack/react-router";

/**
 * A page whose code is loaded when it is first opened. While the browser is offline, the current page stays: if loading
 * failed, the router would reload the tab and end its uploads.
 */
export const lazyPage: typeof lazyRouteComponent = (load, exportName) =>
  lazyRouteComponent(async () => {
    if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    return load();
  }, exportName);
