import { connect, type Socket } from "node:net";

export interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
}

/**
 * Keeps `connections` requests in flight until `count` are done, and returns the seconds taken. Checks the first
 * response and each one whose status is not 200.
 */
export async function sendLoad(
  { url, headers, body, connections }: Load,
  count: number,
  check: (text: string) => void,
): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  // The host of the server's base URL, as a proxy would send it. The server's host check accepts it without parsing.
  const headerLines = Object.entries({
    host: "localhost:3000",
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${headerLines.join("")}\r\n${body}`);
  let remaining = count;
  let isChecked = false;
  const startedAt = performance.now();

  const runConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname, () => sendNext());
      socket.setNoDelay(true);
      let receivedText = "";
      const sendNext = (): void => {
        if (remaining-- > 0) socket.write(request);
        else {
          socket.destroy();
          resolve();
        }
      };
      socket.on("data", (chunk) => {
        receivedText += chunk.toString("latin1");
        const headEnd = receivedText.indexOf("\r\n\r\n");
        if (headEnd < 0) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(receivedText)?.[1];
        const responseEnd =
          length === undefined ? receivedText.indexOf("\r\n0\r\n\r\n", headEnd) + 7 : headEnd + 4 + Number(length);
        if (responseEnd < 7 || receivedText.length < responseEnd) return;
        if (!isChecked || !receivedText.startsWith("HTTP/1.1 200")) {
          isChecked = true;
          try {
            check(Buffer.from(receivedText, "latin1").toString());
          } catch (error) {
            socket.destroy();
            reject(error instanceof Error ? error : new Error(String(error)));
            return;
          }
        }
        receivedText = "";
        sendNext();
      });
      socket.on("error", reject);
    });
  await Promise.all(Array.from({ length: connections }, runConnection));
  return (performance.now() - startedAt) / 1000;
}
