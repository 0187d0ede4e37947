/** So many at once, the others in line. */
export interface Gate {
  /** Resolves with the way out. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createGate(places: number): Gate {
  let free = places;
  const line: { admit: () => void }[] = [];
  const leave = () => {
    const next = line.shift();
    if (next) next.admit();
    else free++;
  };
  return {
    enter(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        let left = false;
        const out = () => {
          if (left) return;
          left = true;
          leave();
        };
        if (free > 0) {
          free--;
          resolve(out);
          return;
        }
        const waiting = {
          admit: () => {
            signal.removeEventListener("abort", giveUp);
            resolve(out);
          },
        };
        const giveUp = () => {
          line.splice(line.indexOf(waiting), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", giveUp, { once: true });
        line.push(waiting);
      });
    },
  };
}
