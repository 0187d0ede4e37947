import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SitePorts {
  plain: number;
  secure: number;
  service: number;
}

/** Reads deploy/nginx.conf, with only names, ports and certificates replaced. */
export const readDeployedSite = (folder: string, ports: SitePorts): string =>
  readFileSync(join(import.meta.dirname, "../../deploy/nginx.conf"), "utf8")
    .replaceAll("atelier.example.com", "localhost")
    .replace(/\/etc\/letsencrypt\/\S+fullchain\.pem/, join(folder, "cert.pem"))
    .replace(/\/etc\/letsencrypt\/\S+privkey\.pem/, join(folder, "key.pem"))
    .replace(/^ +listen \[::\].*$/gm, "")
    .replace("listen 80", `listen 127.0.0.1:${ports.plain}`)
    .replace("listen 443", `listen 127.0.0.1:${ports.secure}`)
    .replace("127.0.0.1:3000", `127.0.0.1:${ports.service}`)
    .replace("Host $host", "Host $http_host");

/** Writes the configuration of an nginx that runs in the foreground and writes only to the folder. Returns its path. */
export function writeNginxConfig(folder: string, siteConfig: string): string {
  mkdirSync(join(folder, "temp"), { recursive: true });
  const tempPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(" ");
  const path = join(folder, "nginx.conf");
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { ${tempPaths} ${siteConfig} }`,
  );
  return path;
}
