import { envToCfg, envToSecrets, PDS, readEnv } from "@atproto/pds";

// PDS_PORT is part of the public URL: the port of the proxy in front of this server, which listens on LISTEN_PORT.
const env = readEnv();
const config = envToCfg(env);
config.service.port = Number(process.env["LISTEN_PORT"]);
const pds = await PDS.create(config, envToSecrets(env));
await pds.start();
console.log("listening");
process.on("SIGTERM", () => process.exit(0));
