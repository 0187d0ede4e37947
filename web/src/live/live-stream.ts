import type { ChangedObject } from "../api/changed-queries.ts";

/** The server sends something at least every 15 seconds. After this much silence, the connection is lost. */
const maxSilenceMs = 40_000;
/** When the user returns to the tab, or the computer wakes up, a shorter silence is enough to connect again. */
const maxSilenceOnReturnMs = 20_000;
/** While no stream is open, everything that a visible tab shows is fetched this often. */
const fallbackMs = 15_000;
/** A short interval, because timers do not count the time in which the computer sleeps. */
const checkMs = 5000;
/** A request on a lost connection may never get a response; then the stream itself shows whether the server responds. */
const accessTimeoutMs = 10_000;
const firstRetryMs = 1000;
const maxRetryMs = 60_000;

/** What the tabs of a browser tell each other: the leader the others, except for `joined`, which asks for the state. */
type Message =
  | { kind: "ready" | "heartbeat" | "lost" | "ended" | "joined" }
  | { kind: "changes"; objects: readonly ChangedObject[] };

/** The parts of the browser's interfaces that are needed; tests have their own. */
export interface LiveSource {
  addEventListener(type: string, listener: (event: { data: string }) => void): void;
  close(): void;
}
export interface LiveChannel {
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
  close(): void;
}
export interface LiveLocks {
  request(name: string, options: { signal: AbortSignal }, callback: () => Promise<void>): Promise<unknown>;
}

export interface LiveStreamOptions {
  studioId: string;
  /** Undefined without a secure context; then there is no stream. */
  locks: LiveLocks | undefined;
  openChannel(name: string): LiveChannel;
  openSource(url: string): LiveSource;
  isVisible(): boolean;
  /** Fetches what shows these objects; everything if they are not known. */
  refetch(objects: readonly ChangedObject[] | undefined): void;
  /** Cancels refetches that were sent before the stream was open, because their connection may be lost. */
  cancelRefetches(): void;
  /** Whether the user still has access to the studio. Called after the stream ended, which does not say why. */
  hasAccess(): Promise<boolean>;
}

export interface LiveStream {
  /** Call this when the tab becomes visible. */
  handleReturn(): void;
  /** Call this when the browser has a network connection again. */
  handleOnline(): void;
  close(): void;
}

/**
 * Learns what changed in a studio. Of all tabs of a browser, the one that has the lock holds the event stream and tells
 * the others; when it closes, another tab gets the lock. While no stream is open, fetches everything now and then.
 */
export function createLiveStream(options: LiveStreamOptions): LiveStream {
  const { studioId, locks, openChannel, openSource, isVisible, hasAccess } = options;
  const name = `live ${studioId}`;
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  const channel = openChannel(name);
  let isLeader = false;
  let isOpen = false;
  let lastHeardAt = Date.now();
  let lastRefetchAt = Date.now();
  /** Of the leader; undefined while it waits before it connects again. */
  let source: LiveSource | undefined;
  let failureCount = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  const send = (message: Message): void => channel.postMessage(message);

  const refetchAll = (): void => {
    lastRefetchAt = Date.now();
    options.refetch(undefined);
  };

  function receive(message: Message): void {
    if (message.kind === "joined") {
      if (isLeader && isOpen) send({ kind: "heartbeat" });
      return;
    }
    lastHeardAt = Date.now();
    if (message.kind === "ended") close();
    const wasOpen = isOpen;
    isOpen = message.kind !== "lost" && message.kind !== "ended";
    if (isOpen && !wasOpen) options.cancelRefetches();
    if (message.kind === "ready" || message.kind === "ended" || (isOpen && !wasOpen)) refetchAll();
    else if (message.kind === "changes") options.refetch(message.objects);
  }

  function tell(message: Message): void {
    send(message);
    receive(message);
  }

  function connect(): void {
    clearTimeout(retryTimer);
    source?.close();
    tell({ kind: "lost" });
    source = openSource(`/api/studios/${studioId}/events`);
    source.addEventListener("ready", () => {
      failureCount = 0;
      tell({ kind: "ready" });
    });
    source.addEventListener("changes", ({ data }) =>
      tell({ kind: "changes", ...(JSON.parse(data) as { objects: ChangedObject[] }) }),
    );
    source.addEventListener("heartbeat", () => tell({ kind: "heartbeat" }));
    source.addEventListener("error", reconnect);
  }

  function reconnect(): void {
    source?.close();
    source = undefined;
    tell({ kind: "lost" });
    const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failureCount++);
    // Spread over time, because a server that restarts ends all streams at once.
    clearTimeout(retryTimer);
    retryTimer = setTimeout(() => void retry(), delayMs * (0.5 + Math.random() / 2));
  }

  async function retry(): Promise<void> {
    const timeout = Promise.withResolvers<boolean>();
    retryTimer = setTimeout(timeout.resolve, accessTimeoutMs, true);
    const mayConnect = await Promise.race([hasAccess(), timeout.promise]);
    if (controller.signal.aborted || source) return;
    if (mayConnect) connect();
    else tell({ kind: "ended" });
  }

  const checkTimer = setInterval(() => {
    if (Date.now() - lastHeardAt > maxSilenceMs) {
      if (source) reconnect();
      else isOpen = false;
    }
    if (!isOpen && isVisible() && Date.now() - lastRefetchAt >= fallbackMs) refetchAll();
  }, checkMs);

  function close(): void {
    controller.abort();
    closed.resolve();
    clearInterval(checkTimer);
    clearTimeout(retryTimer);
    source?.close();
    channel.close();
  }

  channel.addEventListener("message", ({ data }) => receive(data as Message));
  send({ kind: "joined" });
  locks
    ?.request(name, { signal: controller.signal }, () => {
      isLeader = true;
      connect();
      return closed.promise;
    })
    .catch(() => {}); // closed before the tab got the lock

  const isWaiting = (): boolean => isLeader && !controller.signal.aborted;
  return {
    handleReturn() {
      if (isWaiting() && (!source || Date.now() - lastHeardAt > maxSilenceOnReturnMs)) connect();
    },
    handleOnline() {
      if (isWaiting()) connect();
    },
    close,
  };
}
