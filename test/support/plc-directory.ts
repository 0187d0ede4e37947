import { createServer } from "node:http";
import { listenLocally } from "./local-server.ts";

interface Operation {
  alsoKnownAs: string[];
  verificationMethods: Record<string, string>;
  services: Record<string, { type: string; endpoint: string }>;
}

/** A PLC directory in memory: stores the newest operation of each DID, without checking signatures. */
export interface PlcDirectory {
  url: string;
  operations: Map<string, Operation>;
  close(): Promise<void>;
}

export async function startPlcDirectory(): Promise<PlcDirectory> {
  const operations = new Map<string, Operation>();
  const server = createServer((req, res) => {
    const [did = "", view] = decodeURIComponent(req.url ?? "/")
      .slice(1)
      .split("/");
    void req.toArray().then((chunks) => {
      if (req.method === "POST") {
        operations.set(did, JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Operation);
        return res.end("{}");
      }
      const operation = operations.get(did);
      if (!operation) return res.writeHead(404).end("{}");
      res.setHeader("content-type", "application/json");
      return res.end(JSON.stringify(view === "data" ? { did, ...operation } : toDocument(did, operation)));
    });
  });
  const { url, close } = await listenLocally(server);
  return { url, operations, close };
}

const toDocument = (did: string, { alsoKnownAs, verificationMethods, services }: Operation) => ({
  id: did,
  alsoKnownAs,
  verificationMethod: Object.entries(verificationMethods).map(([name, key]) => ({
    id: `${did}#${name}`,
    type: "Multikey",
    controller: did,
    publicKeyMultibase: key.replace("did:key:", ""),
  })),
  service: Object.entries(services).map(([name, { type, endpoint }]) => ({
    id: `#${name}`,
    type,
    serviceEndpoint: endpoint,
  })),
});
