import { envToCfg, envToSecrets, PDS, readEnv } from "@atproto/pds";

// The server reads a client's metadata from the client's public host. The host of a test client does not exist, so
// these requests go to the test itself.
const { CLIENT_HOST: clientHost, CLIENT_DOCUMENTS_URL: documentsUrl, LISTEN_PORT: port } = process.env;
const fetchPublic = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const { hostname, pathname } = new URL(input instanceof Request ? input.url : input);
  return hostname === clientHost ? fetchPublic(`${documentsUrl}${pathname}`) : fetchPublic(input, init);
};

// PDS_PORT is part of the public URL: the port of the proxy in front of this server, which listens on LISTEN_PORT.
const env = readEnv();
const config = envToCfg(env);
config.service.port = Number(port);
const pds = await PDS.create(config, envToSecrets(env));
await pds.start();
console.log("listening");
process.on("SIGTERM", () => process.exit(0));
