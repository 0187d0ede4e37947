/** Loads code only while the browser is online. If it failed, the router would reload the tab and end its uploads. */
export const whenOnline =
  <Module>(load: () => Promise<Module>) =>
  async (): Promise<Module> => {
    if (!navigator.onLine) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    return load();
  };
