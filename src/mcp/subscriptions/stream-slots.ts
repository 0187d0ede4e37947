/** A credential is the grant of an AI client, or the session of a browser. */
const maxStreamsPerCredential = 20;
/** A user can have any number of grants and sessions. */
const maxStreamsPerUser = 100;
/** This many need about 350 MB. The operating system allows many more, which would leave no memory for calls. */
const maxStreamsPerProcess = 15_000;

export const streamLimitMessage = `Subscription limit reached: a grant can have ${maxStreamsPerCredential} open streams, a user ${maxStreamsPerUser}, and this server a limited number. Close another stream first.`;

/** One open stream, which counts toward the limits. */
export interface StreamSlot {
  /** Ends the stream, for shutdown. Set when the stream opens. */
  end: () => void;
  release(): void;
}

export interface StreamSlots {
  readonly isClosed: boolean;
  /** Returns undefined if a limit is reached. The caller must release the slot when the stream ends. */
  take(credentialId: string, userId: string): StreamSlot | undefined;
  /** Ends every stream. */
  close(): void;
}

export function createStreamSlots(): StreamSlots {
  /** By the ids of credentials and users. */
  const counts = new Map<string, number>();
  const slots = new Set<StreamSlot>();
  let isClosed = false;

  const getCount = (id: string): number => counts.get(id) ?? 0;
  function adjustCount(id: string, delta: 1 | -1): void {
    const count = getCount(id) + delta;
    if (count > 0) counts.set(id, count);
    else counts.delete(id);
  }

  return {
    get isClosed() {
      return isClosed;
    },
    take(credentialId, userId) {
      const isFull =
        getCount(credentialId) >= maxStreamsPerCredential ||
        getCount(userId) >= maxStreamsPerUser ||
        slots.size >= maxStreamsPerProcess;
      if (isFull) return undefined;
      for (const id of [credentialId, userId]) adjustCount(id, 1);
      const slot: StreamSlot = {
        end: () => {},
        release() {
          if (!slots.delete(slot)) return;
          for (const id of [credentialId, userId]) adjustCount(id, -1);
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
