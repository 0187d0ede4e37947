import { waitUntil } from "./wait-until.ts";

export interface PageEvent {
  event: string;
  objects: { type: string; id: string | null }[];
}

/** The event stream of an open page. */
export interface PageStream {
  status: number;
  events: PageEvent[];
  /** Every object that was announced, as `<type> <id>`. */
  listObjects(): string[];
  waitFor(object: string): Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Reads server-sent events until the stream ends. */
export async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: string }> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      yield { event, data };
    }
  }
}

/** Opens the stream of a studio; resolves after its first event, or after an error response. */
export async function openPageStream(base: string, studioId: string, cookie: string): Promise<PageStream> {
  const controller = new AbortController();
  const response = await fetch(`${base}/api/studios/${studioId}/events`, {
    headers: { cookie, accept: "text/event-stream" },
    signal: controller.signal,
  });
  const events: PageEvent[] = [];
  const read = async (): Promise<void> => {
    if (!response.ok) return response.body?.cancel();
    for await (const { event, data } of readEvents(response))
      events.push({ event, objects: [], ...(JSON.parse(data) as object) });
  };
  const listObjects = (): string[] =>
    events.flatMap(({ objects }) => objects).map(({ type, id }) => `${type} ${String(id)}`);
  const ended = read().catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  if (response.ok) await waitUntil(() => events.length > 0, { description: "the first event arrives" });
  return {
    status: response.status,
    events,
    listObjects,
    waitFor: (object) => waitUntil(() => listObjects().includes(object), { description: `${object} is announced` }),
    ended,
    close: () => controller.abort(),
  };
}
