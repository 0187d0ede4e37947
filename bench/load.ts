import { connect, type Socket } from "node:net";

export interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
}

/** Keeps `connections` requests in flight until `count` are done, checks the first response, and returns the seconds taken. */
export async function run(
  { url, headers, body, connections }: Load,
  count: number,
  check: (text: string) => void,
): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  // The public hostname, as behind a proxy: the guards accept it on their fast path.
  const lines = Object.entries({
    host: "localhost:3000",
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  let remaining = count;
  let isChecked = false;
  const started = performance.now();

  const runConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname, () => next());
      socket.setNoDelay(true);
      let pending = "";
      const next = (): void => {
        if (remaining-- > 0) socket.write(request);
        else {
          socket.destroy();
          resolve();
        }
      };
      socket.on("data", (chunk) => {
        pending += chunk.toString("latin1");
        const headEnd = pending.indexOf("\r\n\r\n");
        if (headEnd < 0) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(pending)?.[1];
        const responseEnd =
          length === undefined ? pending.indexOf("\r\n0\r\n\r\n", headEnd) + 7 : headEnd + 4 + Number(length);
        if (responseEnd < 7 || pending.length < responseEnd) return;
        if (!isChecked || !pending.startsWith("HTTP/1.1 200")) {
          isChecked = true;
          try {
            check(Buffer.from(pending, "latin1").toString());
          } catch (error) {
            socket.destroy();
            reject(error instanceof Error ? error : new Error(String(error)));
            return;
          }
        }
        pending = "";
        next();
      });
      socket.on("error", reject);
    });
  await Promise.all(Array.from({ length: connections }, runConnection));
  return (performance.now() - started) / 1000;
}
