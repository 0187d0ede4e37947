import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

export type RecordType = "A" | "AAAA";

/** A DNS server on loopback. */
export interface DnsServer {
  ip: string;
  port: number;
  /** IP address and port, in the format that `dns.Resolver` expects. */
  ipAndPort: string;
  /** Every query received, such as `A files.test`. */
  queries: string[];
  close(): Promise<void>;
}

export interface DnsServerOptions {
  ip?: string;
  port?: number;
  /** Returns the IP addresses of a name. For undefined, the server sends no response; for an empty list, NODATA. */
  resolve?: (name: string, type: RecordType) => readonly string[] | undefined;
}

/** Starts a DNS server. Without `resolve`, it never responds. */
export async function startDnsServer(options: DnsServerOptions = {}): Promise<DnsServer> {
  const { ip = "127.0.0.1", port = 0, resolve = () => undefined } = options;
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = parseQuestion(query);
    queries.push(`${type} ${name}`);
    const ips = resolve(name, type);
    if (ips) socket.send(encodeResponse(query.subarray(0, end), ips), from.port, from.address);
  });
  socket.bind(port, ip);
  await once(socket, "listening");
  const { port: boundPort } = socket.address();
  return {
    ip,
    port: boundPort,
    ipAndPort: `${ip}:${boundPort}`,
    queries,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}

/** RFC 1035 §4.1.2: labels after the 12-byte header, then type and class. */
function parseQuestion(query: Buffer): { name: string; type: RecordType; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString("latin1", offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return {
    name: labels.join(".").toLowerCase(),
    type: query.readUInt16BE(offset + 1) === 28 ? "AAAA" : "A",
    end: offset + 5,
  };
}

function encodeResponse(query: Buffer, ips: readonly string[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2); // a response, recursion available, no error
  header.writeUInt16BE(ips.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12), ...ips.map(encodeRecord)]);
}

function encodeRecord(ip: string): Buffer {
  const data = isIPv4(ip) ? Buffer.from(ip.split(".").map(Number)) : parseIpv6(ip);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // a pointer to the name in the question
  head.writeUInt16BE(isIPv4(ip) ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function parseIpv6(ip: string): Buffer {
  const [start = "", end = ""] = ip.split("::");
  const parseGroups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [parseGroups(start), parseGroups(end)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return Buffer.from([...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255]));
}
