import { createModernRequest, type McpCaller } from "./mcp.ts";
import { waitUntil } from "./wait-until.ts";

interface StreamMessage {
  id?: string | number;
  method?: string;
  params?: { uri?: string; notifications?: { resourceSubscriptions?: string[] }; _meta?: Record<string, unknown> };
  result?: { resultType: string; _meta: Record<string, unknown> };
  error?: { code: number; message: string };
}

/** An open event stream of the server. */
export interface TestEventStream {
  status: number;
  messages: StreamMessage[];
  /** The URIs of all updates so far. */
  listUpdates(): string[];
  /** Resolves when this many updates have arrived. */
  waitForUpdates(count: number): Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

async function readEventStream(url: string, init: RequestInit): Promise<TestEventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { ...init, signal: controller.signal });
  const messages: StreamMessage[] = [];
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data !== undefined) messages.push(JSON.parse(data) as StreamMessage);
      }
    }
    if (text !== "") messages.push(JSON.parse(text) as StreamMessage); // one JSON message instead of a stream
  };
  const listUpdates = (): string[] =>
    messages
      .filter(({ method }) => method === "notifications/resources/updated")
      .map(({ params }) => params?.uri ?? "");
  return {
    status: response.status,
    messages,
    listUpdates,
    waitForUpdates: (count) =>
      waitUntil(() => listUpdates().length >= count, { description: `${count} updates arrive` }),
    ended: read().catch((error: unknown) => {
      if (!controller.signal.aborted) throw error;
    }),
    close: () => controller.abort(),
  };
}

/** Opens a stream of protocol version 2026-07-28; resolves after its first message, an acknowledgement or an error. */
export async function listen(caller: McpCaller, notifications: object, id = 1): Promise<TestEventStream> {
  const request = createModernRequest(caller, "subscriptions/listen", { notifications }, id);
  const stream = await readEventStream(caller.url, { method: "POST", ...request });
  await waitUntil(() => stream.messages.length > 0, { description: "the first message arrives" });
  return stream;
}

/** Opens the event stream of a session of a 2025 protocol version. */
export function openSessionStream({ url, token, session }: McpCaller): Promise<TestEventStream> {
  return readEventStream(url, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
  });
}
