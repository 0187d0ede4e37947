const callbacks = new Set<() => void>();

/** Runs a synchronous callback when the process exits, even on a signal. Returns a function that unregisters it. */
export function onExit(callback: () => void): () => void {
  registerHandlers();
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

let isRegistered = false;

function registerHandlers(): void {
  if (isRegistered) return;
  isRegistered = true;
  process.on("exit", () => {
    // Newest first, so that a server is killed before its folder is deleted.
    for (const callback of [...callbacks].toReversed()) {
      try {
        callback();
      } catch (error) {
        console.error(error);
      }
    }
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}
