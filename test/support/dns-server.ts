import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

export type RecordType = "A" | "AAAA";

/** A DNS server on loopback. */
export interface DnsServer {
  ip: string;
  port: number;
  /** IP address and port, in the format that `dns.Resolver` expects. */
  server: string;
  /** Every query received, such as `A files.test`. */
  queries: string[];
  close(): Promise<void>;
}

export interface DnsServerOptions {
  ip?: string;
  port?: number;
  /** Returns the IP addresses of a name; undefined sends no response, an empty list is NODATA. */
  resolve?: (name: string, type: RecordType) => readonly string[] | undefined;
}

/** Starts a DNS server that responds only if `resolve` is set. */
export async function startDnsServer(options: DnsServerOptions = {}): Promise<DnsServer> {
  const { ip = "127.0.0.1", port = 0, resolve = () => undefined } = options;
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = parseQuestion(query);
    queries.push(`${type} ${name}`);
    const addresses = resolve(name, type);
    if (addresses) socket.send(encodeResponse(query.subarray(0, end), addresses), from.port, from.address);
  });
  socket.bind(port, ip);
  await once(socket, "listening");
  const address = socket.address();
  return {
    ip,
    port: address.port,
    server: `${ip}:${address.port}`,
    queries,
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}

/** RFC 1035 §4.1.2: labels after the header of 12 bytes, then type and class. */
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

function encodeResponse(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2); // a response, recursion available, no error
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(12), ...addresses.map(encodeRecord)]);
}

function encodeRecord(ip: string): Buffer {
  const data = isIPv4(ip) ? Buffer.from(ip.split(".").map(Number)) : parseIpv6(ip);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(isIPv4(ip) ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function parseIpv6(ip: string): Buffer {
  const [start = "", end = ""] = ip.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(start), groups(end)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return Buffer.from([...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255]));
}
