import { Socket } from "node:net";

/**
 * Loaded into the service with `--import`: connects to a server on this machine instead of a public IP address.
 * `TEST_REROUTE` is `<IP address>=<local port>`.
 */
const [publicAddress, localPort] = (process.env["TEST_REROUTE"] ?? "").split("=");
const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;

Socket.prototype.connect = function reroute(this: Socket, ...args: unknown[]) {
  const [options, ...rest] = args as [{ host?: string } | undefined, ...unknown[]];
  if (options?.host !== publicAddress) return connect.apply(this, args);
  // Pass a copy: TLS later checks the certificate against `host` in the original options.
  return connect.call(this, { ...options, host: "127.0.0.1", port: Number(localPort) }, ...rest);
} as typeof Socket.prototype.connect;
