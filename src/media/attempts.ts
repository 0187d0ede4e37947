/** How long what came to nothing is not tried again. */
const forgottenMs = 10 * 60_000;
const mostRemembered = 10_000;

/**
 * Work under a key, of which one is under way at a time: whoever asks meanwhile is given what it brings. That it came
 * to nothing is remembered for a while, since the next attempt would take as long and bring as little.
 */
export function createAttempts<T>(): (key: string, work: () => Promise<T | undefined>) => Promise<T | undefined> {
  const underWay = new Map<string, Promise<T | undefined>>();
  const inVain = new Set<string>();

  const remember = (key: string): void => {
    const [oldest] = inVain;
    if (inVain.size >= mostRemembered && oldest !== undefined) inVain.delete(oldest);
    inVain.add(key);
    setTimeout(() => inVain.delete(key), forgottenMs).unref();
  };
  const attempt = async (key: string, work: () => Promise<T | undefined>): Promise<T | undefined> => {
    try {
      const made = await work();
      if (made === undefined) remember(key);
      return made;
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
