import { lookup } from "node:dns/promises";
import { isIPv4 } from "node:net";
import { connect } from "node:tls";
import type { DoctorConfig, Findings } from "./doctor.ts";
import { describeError } from "./machine-checks.ts";
import { days } from "#lib/clock.ts";
import { isLoopbackName, isPublicAddress } from "#lib/ip-address.ts";
import { CheckError, skip, warn, type Check } from "#portable/checks.ts";
import { createConnectionChecks } from "#portable/connection-checks.ts";

const timeoutMs = 10_000;
const minCertificateMs = days(14);

/** A bot filter lets browsers through, so that the check of user agents is the one that names the filter. */
const browserUserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
/** What servers of AI vendors and clients on users' machines send. */
const clientUserAgents = ["Claude-User", "python-httpx/0.28.1", "openai-mcp/1.0.0", "node", "Go-http-client/2.0", ""];

/** Checks of everything between clients and the server, through the public URL. */
export function createEdgeChecks(config: DoctorConfig, findings: Findings): Check[] {
  const { base } = config;
  const url = new URL(base);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const checks = createConnectionChecks({
    base,
    userAgents: clientUserAgents,
    explainNoResponse: (error) => explainNoResponse(base, error),
    async fetch(target, init) {
      const headers = new Headers(init.headers);
      if (!headers.has("user-agent")) headers.set("user-agent", browserUserAgent);
      const response = await fetch(target, { ...init, headers });
      findings.dates.set(url.host, response.headers.get("date"));
      return response;
    },
  });

  /** Before the first start, nothing is wrong if no server responds. */
  async function checkServer(): ReturnType<Check["run"]> {
    if (findings.database?.isNew === false) return "The server was started before.";
    const response = await fetch(`${base}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => undefined);
    if (response && response.status < 500) return `A server responds at ${base}.`;
    return skip("The server has not been started yet; these checks need it to run.");
  }

  async function checkAddress(): ReturnType<Check["run"]> {
    if (isLoopbackName(hostname)) return `${url.host} is this machine: only its own programs can connect.`;
    const addresses = await lookup(hostname, { all: true }).catch((error: unknown) => {
      throw explainNoResponse(base, error);
    });
    if (addresses.some(({ address }) => isIPv4(address) && isPublicAddress(address))) return `${hostname} is public.`;
    return warn(
      `${hostname} has no public IPv4 address here.`,
      "Clients that run in a cloud, such as Claude and ChatGPT, need one (an A record). Ignore this if only your own network connects.",
    );
  }

  return [
    { name: "server", run: checkServer },
    { name: "address", needs: ["server"], run: checkAddress },
    { name: "tls", needs: ["address"], run: async () => checkCertificate(url, hostname) },
    ...checks.map((check) => ({ ...check, needs: ["tls", ...(check.needs ?? [])] })),
  ];
}

/** Connects as a client does, and checks the certificate with the certificate authorities that Node trusts. */
function checkCertificate(url: URL, hostname: string): ReturnType<Check["run"]> {
  if (url.protocol === "http:") return Promise.resolve("Loopback needs no TLS.");
  const servername = isIPv4(hostname) ? "" : hostname;
  const socket = connect({ host: hostname, port: Number(url.port || 443), servername, timeout: timeoutMs });
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", () => {
      const expiresAt = Date.parse(socket.getPeerCertificate().valid_to);
      const message = `The certificate is valid until ${new Date(expiresAt).toISOString().slice(0, 10)}.`;
      const isValid = expiresAt - Date.now() > minCertificateMs;
      socket.destroy();
      resolve(isValid ? message : warn(message, "Renew it, and check why it is not renewed automatically."));
    });
    socket.once("timeout", () => socket.destroy(new Error("timeout")));
    socket.once("error", (error) => reject(explainNoResponse(url.origin, error)));
  });
}

const getCode = (error: unknown): string => {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? "";
};
const isTlsError = (error: unknown): boolean => /CERT|SSL|TLS|SIGNATURE|EPROTO/.test(getCode(error));
const describeCause = (error: unknown): string => describeError((error as Error).cause ?? error);

const tlsAdvice: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "Renew the certificate, and reload the proxy.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Install a certificate for the host name in BASE_URL, and check that the proxy selects it.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Configure the full chain in the proxy, such as fullchain.pem instead of cert.pem.",
};
const authorityAdvice =
  "Install a certificate of a public certificate authority. If all clients trust yours, set NODE_EXTRA_CA_CERTS for this command.";

function explainNoResponse(target: string, error: unknown): CheckError {
  const code = getCode(error);
  if (/EPROTO|SSL/.test(code))
    return new CheckError(
      `${target} does not speak TLS (${code}).`,
      "Make the proxy serve TLS on this port, or correct the scheme and port of BASE_URL.",
    );
  if (isTlsError(error))
    return new CheckError(
      `The certificate of ${target} is not valid: ${describeCause(error)} (${code}).`,
      tlsAdvice[code] ?? authorityAdvice,
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new CheckError(
      `The host name of ${target} has no IP address (${code}).`,
      "Create an A record for it at your DNS provider, or correct BASE_URL.",
    );
  return new CheckError(
    `${target} does not respond (${describeCause(error)}).`,
    "Start the server and its proxy, check the port and the firewall, and correct BASE_URL if clients use another URL.",
  );
}
