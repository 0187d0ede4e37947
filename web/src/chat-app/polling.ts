/** Runs `work` soon, and then again and again while the user can see the app. */
export interface Polling {
  /** Runs it soon instead of at its next time; once more if it is running. */
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
    // Calls in quick succession must not postpone it again and again.
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
