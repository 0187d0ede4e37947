const works = new Set<() => void>();

/** Does this when the process ends, also by a signal, unless it is called off before. What it does cannot wait. */
export function atExit(work: () => void): () => void {
  listen();
  works.add(work);
  return () => void works.delete(work);
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  process.on("exit", () => {
    for (const work of works) work();
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}
