import { EventEmitter } from "node:events";
import { createLiveStream, type LiveStream } from "../../web/src/live/live-stream.ts";

type ChangedObject = NonNullable<Parameters<Parameters<typeof createLiveStream>[0]["refetch"]>[0]>[number];

/** An event stream as a tab opens it. */
class TestSource extends EventEmitter {
  isClosed = false;
  addEventListener = (type: string, listener: (event: { data: string }) => void): void => void this.on(type, listener);
  /** Sends an event, unless the tab has closed the stream. */
  send(type: string, data: object = {}): void {
    if (!this.isClosed) this.emit(type, { data: JSON.stringify(data) });
  }
  close(): void {
    this.isClosed = true;
  }
}

export interface Tab {
  stream: LiveStream;
  /** What the tab shall fetch: the ids of objects, or "all". */
  fetches: string[];
  isVisible: boolean;
}

/** The tabs of a browser that show the same studio. */
export class TestBrowser {
  /** Every stream that was opened. */
  sources: TestSource[] = [];
  hasAccess: boolean | Promise<boolean> = true;
  #waiting: { signal: AbortSignal; callback: () => Promise<void> }[] = [];
  #isLocked = false;
  #receivers = new Set<(event: { data: unknown }) => void>();

  get source(): TestSource {
    const [source] = this.openSources;
    if (!source) throw new Error("no stream is open");
    return source;
  }

  get openSources(): TestSource[] {
    return this.sources.filter(({ isClosed }) => !isClosed);
  }

  openTab({ isVisible = true, hasLocks = true } = {}): Tab {
    const fetches: string[] = [];
    const tab = { fetches, isVisible };
    const refetch = (objects: readonly ChangedObject[] | undefined): void =>
      void fetches.push(...(objects ? objects.map(({ id }) => id ?? "") : ["all"]));
    const stream = createLiveStream({
      studioId: "std_1",
      locks: hasLocks ? { request: (_, { signal }, callback) => this.#request(signal, callback) } : undefined,
      openChannel: () => this.#openChannel(),
      openSource: () => {
        const source = new TestSource();
        this.sources.push(source);
        return source;
      },
      isVisible: () => tab.isVisible,
      refetch,
      cancelRefetches: () => {},
      hasAccess: async () => this.hasAccess,
    });
    return Object.assign(tab, { stream });
  }

  async #request(signal: AbortSignal, callback: () => Promise<void>): Promise<void> {
    this.#waiting.push({ signal, callback });
    await this.#grant();
  }

  async #grant(): Promise<void> {
    if (this.#isLocked) return;
    const next = this.#waiting.shift();
    if (!next) return;
    if (next.signal.aborted) return this.#grant();
    this.#isLocked = true;
    await next.callback();
    this.#isLocked = false;
    await this.#grant();
  }

  #openChannel() {
    let receiver: ((event: { data: unknown }) => void) | undefined;
    return {
      addEventListener: (_: "message", listener: (event: { data: unknown }) => void): void => {
        receiver = listener;
        this.#receivers.add(listener);
      },
      postMessage: (data: unknown): void => {
        for (const other of this.#receivers) if (other !== receiver) other({ data });
      },
      close: (): void => {
        if (receiver) this.#receivers.delete(receiver);
      },
    };
  }
}
