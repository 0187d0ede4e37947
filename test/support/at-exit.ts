const callbacks = new Set<() => void>();

/** Does this when the process ends, also by a signal, unless it is called off before. What it does cannot wait. */
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
    for (const callback of callbacks) callback();
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}
