import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createModernRequest } from "./mcp.ts";

/** Opens a listen stream on a raw socket, which needs little memory; resolves after the server's first message. */
export async function openIdleStream(
  base: string,
  token: string,
  notifications: object,
): Promise<{ socket: Socket; received: string }> {
  const { headers, body } = createModernRequest({ token }, "subscriptions/listen", { notifications });
  const { host, port } = new URL(base);
  const allHeaders = { host, ...headers, "content-length": body.length };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  let received = "";
  while (!received.includes("subscriptions/acknowledged") && !received.includes("error"))
    received += String(((await once(socket, "data")) as [Buffer])[0]);
  return { socket, received };
}
