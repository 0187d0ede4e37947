/** Runs `work` soon, and then repeatedly while the user can see the app. */
export interface Polling {
  /** Runs `work` soon instead of at the end of the interval. If it is already running, runs it once more. */
  runSoon(): void;
  stop(): void;
}

const soonMs = 300;

export function startPolling(work: () => Promise<void>, getIntervalMs: () => number): Polling {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isDueSoon = false;
  let isInView = true;
  let isStopped = false;
  const isVisible = () => isInView && document.visibilityState === "visible";

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = undefined;
    if (isStopped || isRunning || !isVisible()) return;
    timer = setTimeout(() => void run(), ms);
  }

  async function run(): Promise<void> {
    isRunning = true;
    isDueSoon = false;
    await work().catch(() => {});
    isRunning = false;
    scheduleNext();
  }

  function scheduleNext(): void {
    schedule(isDueSoon ? soonMs : getIntervalMs());
  }

  function runSoon(): void {
    // Repeated calls must not postpone the run.
    if (isDueSoon) return;
    isDueSoon = true;
    schedule(soonMs);
  }

  const onVisibility = () => schedule(soonMs);
  document.addEventListener("visibilitychange", onVisibility);
  // Chats keep apps that the user has scrolled past.
  const observer = new IntersectionObserver((entries) => {
    const wasInView = isInView;
    isInView = entries.at(-1)?.isIntersecting ?? true;
    if (isInView !== wasInView) schedule(soonMs);
  });
  observer.observe(document.documentElement);
  runSoon();
  return {
    runSoon,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}
