import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { createPublicUrlCheck, createPublicUrlOpener } from "#lib/public-fetch.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { listenLocally } from "./local-server.ts";

export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface WebhookReceiver {
  url: string;
  /** The requests so far. */
  received: ReceivedEvent[];
  /** How the next requests are answered; at first, with 204. */
  respond: (response: ServerResponse, event: ReceivedEvent) => void;
  /** How many requests were open at the same time, at most. */
  maxOpen: number;
  close(): Promise<void>;
}

/** A server that receives webhooks. */
export async function startReceiver(): Promise<WebhookReceiver> {
  let openCount = 0;
  const server = createServer((request, response) => {
    receiver.maxOpen = Math.max(receiver.maxOpen, ++openCount);
    response.once("close", () => void openCount--);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const event = { headers: request.headers, text, body: JSON.parse(text) as ReceivedEvent["body"] };
      receiver.received.push(event);
      receiver.respond(response, event);
    });
  });
  const { port, close } = await listenLocally(server);
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    respond: (response) => response.writeHead(204).end(),
    maxOpen: 0,
    async close() {
      server.closeAllConnections();
      await close();
    },
  };
  return receiver;
}

/** Deps that send to these receivers as the service does, if the operator listed them in `PRIVATE_HOSTS`. */
export function allowReceivers<D extends Deps>(deps: D, ...receivers: readonly Pick<WebhookReceiver, "url">[]): D {
  const privateHosts = new Set(receivers.map(({ url }) => new URL(url).host));
  const options = { timeoutMs: 15_000, maxRedirects: 0, accept: "*/*", privateHosts };
  return { ...deps, openWebhookUrl: createPublicUrlOpener(options), checkWebhookUrl: createPublicUrlCheck(options) };
}

/** Verifies an event as a receiver does, but with any clock. Returns its body. */
export function verifyEvent(secret: string, { headers, text, body }: ReceivedEvent): ReceivedEvent["body"] {
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const signature = new Webhook(secret).sign(String(headers["webhook-id"]), sentAt, text);
  assert.ok(String(headers["webhook-signature"]).split(" ").includes(signature), "the signature is wrong");
  return body;
}
