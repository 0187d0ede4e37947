import type { Socket } from "node:net";

/** Not `once`, which rejects if the server resets the connection. */
export const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.on("error", () => {}).once("close", () => resolve()));
