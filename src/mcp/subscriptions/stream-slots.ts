const maxStreamsPerGrant = 20;
/** This many need about 350 MB. The operating system allows many more, which would leave no memory for calls. */
const maxStreamsPerProcess = 15_000;

export const streamLimitMessage = `Subscription limit reached: a grant can have ${maxStreamsPerGrant} open streams, and this server a limited number. Close another stream first.`;

/** One open stream, which counts toward the limits. */
export interface StreamSlot {
  /** Ends the stream, for shutdown. Set when the stream opens. */
  end: () => void;
  release(): void;
}

export interface StreamSlots {
  readonly isClosed: boolean;
  /** Returns undefined if a limit is reached. The caller must release the slot when the stream ends. */
  take(grantId: string): StreamSlot | undefined;
  /** Ends every stream. */
  close(): void;
}

export function createStreamSlots(): StreamSlots {
  const countByGrant = new Map<string, number>();
  const slots = new Set<StreamSlot>();
  let isClosed = false;
  return {
    get isClosed() {
      return isClosed;
    },
    take(grantId) {
      const count = countByGrant.get(grantId) ?? 0;
      if (count >= maxStreamsPerGrant || slots.size >= maxStreamsPerProcess) return undefined;
      countByGrant.set(grantId, count + 1);
      const slot: StreamSlot = {
        end: () => {},
        release() {
          if (!slots.delete(slot)) return;
          const remaining = (countByGrant.get(grantId) ?? 1) - 1;
          if (remaining > 0) countByGrant.set(grantId, remaining);
          else countByGrant.delete(grantId);
        },
      };
      slots.add(slot);
      return slot;
    },
    close() {
      isClosed = true;
      for (const slot of slots) slot.end();
    },
  };
}
