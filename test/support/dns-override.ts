import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { findProgram } from "./find-program.ts";

/** Whether this user can give a process its own /etc/resolv.conf, and bind the DNS port on loopback. */
export function canReplaceDnsServer(): boolean {
  const unshare = findProgram("unshare");
  const isRoot = process.getuid?.() === 0;
  return isRoot && unshare !== undefined && spawnSync(unshare, ["--mount", "true"]).status === 0;
}

/** A wrapper command for `startMain`: the process uses only this name server. */
export function withDnsServer(ip: string, resolvConf: string): string[] {
  writeFileSync(resolvConf, `nameserver ${ip}\n`);
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  return ["unshare", "--mount", "bash", "-c", script, resolvConf];
}
