import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface UnreadLimits {
  /** Bytes that clients have not read yet, in total and per user (or IP address, without a user). */
  total: number;
  perOwner: number;
  /** Clients that read more slowly on average are disconnected. */
  bytesPerSecond: number;
}

const defaultUnreadLimits: UnreadLimits = {
  total: 256 * 1024 * 1024,
  perOwner: 64 * 1024 * 1024,
  bytesPerSecond: 8 * 1024,
};

interface Unread {
  owner: string;
  bytes: number;
  stop: () => void;
}

export interface UnreadResponses {
  /** Call after the response has ended. */
  add(res: ServerResponse, getOwner: () => string): void;
}

/**
 * Follows responses that have ended but whose clients have not read them. Closes the connection when the client stops
 * reading for `stallTimeoutMs` or reads too slowly; above a limit at once, oldest first, of the owner who has the most
 * unread bytes.
 */
export function createUnreadResponses(stallTimeoutMs: number, limits = defaultUnreadLimits): UnreadResponses {
  /** The oldest first. */
  const unreadBySocket = new Map<Socket, Unread>();
  const bytesByOwner = new Map<string, number>();
  let totalBytes = 0;

  const adjust = (unread: Unread, bytes: number): void => {
    unread.bytes += bytes;
    totalBytes += bytes;
    const ownerBytes = (bytesByOwner.get(unread.owner) ?? 0) + bytes;
    if (ownerBytes > 0) bytesByOwner.set(unread.owner, ownerBytes);
    else bytesByOwner.delete(unread.owner);
  };

  function remove(socket: Socket): void {
    const unread = unreadBySocket.get(socket);
    if (!unread) return;
    unread.stop();
    adjust(unread, -unread.bytes);
    unreadBySocket.delete(socket);
  }

  function follow(socket: Socket, owner: string, bytes: number): Unread {
    // Node restarts this timeout while the client reads, and closes the connection when it ends.
    socket.setTimeout(stallTimeoutMs);
    const timer = setTimeout(() => socket.destroy(), 2 * stallTimeoutMs + (bytes / limits.bytesPerSecond) * 1000);
    const onClose = (): void => remove(socket);
    socket.once("close", onClose);
    const stop = (): void => {
      clearTimeout(timer);
      // Otherwise it is already the timeout of an idle connection.
      if (socket.timeout === stallTimeoutMs) socket.setTimeout(0);
      socket.off("close", onClose);
    };
    const unread = { owner, bytes: 0, stop };
    unreadBySocket.set(socket, unread);
    return unread;
  }

  function closeOldest(owner: string): void {
    for (const [socket, unread] of unreadBySocket) {
      if (unread.owner !== owner) continue;
      remove(socket);
      return void socket.destroy();
    }
  }

  return {
    add(res, getOwner) {
      const { socket } = res.req;
      const bytes = res.writableLength;
      if (!res.writableEnded || bytes === 0 || socket.destroyed) return;
      const unread = unreadBySocket.get(socket) ?? follow(socket, getOwner(), bytes);
      adjust(unread, bytes);
      res.once("finish", () => {
        if (unreadBySocket.get(socket) !== unread) return;
        adjust(unread, -bytes);
        if (unread.bytes === 0) remove(socket);
      });
      while ((bytesByOwner.get(unread.owner) ?? 0) > limits.perOwner) closeOldest(unread.owner);
      while (totalBytes > limits.total) {
        const owners = [...bytesByOwner].toSorted(([, a], [, b]) => b - a);
        closeOldest(owners[0]?.[0] ?? "");
      }
    },
  };
}
