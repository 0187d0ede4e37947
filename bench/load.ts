import { connect, type Socket } from "node:net";

export interface Load {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
}

/** Keeps `connections` requests under way until `count` are answered; answers the seconds it took. Checks the first answer. */
export async function runLoad(
  { url, headers, body, connections }: Load,
  count: number,
  check: (text: string) => void,
): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  // Under its public name, as behind a proxy: that is what the guards let through at once.
  const lines = Object.entries({
    host: "localhost:3000",
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  let remaining = count;
  let hasChecked = false;
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
        const end = pending.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(pending)?.[1];
        const responseLength =
          length === undefined ? pending.indexOf("\r\n0\r\n\r\n", end) + 7 : end + 4 + Number(length);
        if (responseLength < 7 || pending.length < responseLength) return;
        if (!hasChecked || !pending.startsWith("HTTP/1.1 200")) {
          hasChecked = true;
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
