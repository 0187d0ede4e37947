/** How long what came to nothing is not tried again. */
const forgottenMs = 10 * 60_000;
const mostRemembered = 10_000;

/** Is told how to say that the next attempt would cost as much and bring as little. */
export type Work<T> = (notAgain: () => void) => Promise<T | undefined>;

/**
 * Work under a key, of which one is under way at a time: whoever asks meanwhile is given what it brings. What is not
 * worth another attempt is remembered for a while.
 */
export function createAttempts<T>(): (key: string, work: Work<T>) => Promise<T | undefined> {
  const underWay = new Map<string, Promise<T | undefined>>();
  const inVain = new Set<string>();

  const remember = (key: string): void => {
    const [oldest] = inVain;
    if (inVain.size >= mostRemembered && oldest !== undefined) inVain.delete(oldest);
    inVain.add(key);
    setTimeout(() => inVain.delete(key), forgottenMs).unref();
  };
  const attempt = async (key: string, work: Work<T>): Promise<T | undefined> => {
    try {
      return await work(() => remember(key));
    } finally {
      underWay.delete(key);
    }
  };

  return async (key, work) => {
    if (inVain.has(key)) return undefined;
    const running = underWay.get(key) ?? attempt(key, work);
    underWay.set(key, running);
    return running;
  };
}
