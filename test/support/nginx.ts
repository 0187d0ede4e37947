import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";
import { temporaryFolder } from "./folder.ts";
import { findProgram } from "./programs.ts";
import { until } from "./until.ts";

/** Debian keeps it where only root looks. */
export const findNginx = (): string | undefined =>
  findProgram("nginx") ?? findProgram("nginx", ["/usr/sbin", "/usr/local/sbin"]);

export interface Nginx {
  stop(): Promise<void>;
}

/**
 * A load balancer in front of several processes, with nothing that would keep a client with one of them: each request
 * goes to the next in turn. The header `x-served-by` tells which one it was.
 */
export async function startNginx(program: string, port: number, behind: readonly number[]): Promise<Nginx> {
  const folder = temporaryFolder("atelier-nginx-");
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("nginx.conf"), configuration(folder.path, port, behind));
  const child = spawn(program, ["-p", folder.path, "-e", "stderr", "-c", at("nginx.conf")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const callOff = atExit(() => child.kill("SIGKILL"));
  await until(() => {
    if (child.exitCode !== null) throw new Error("nginx did not start");
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  });
  return {
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      callOff();
      folder.remove();
    },
  };
}

function configuration(folder: string, port: number, behind: readonly number[]): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}
  upstream atelier {
${behind.map((one) => `    server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`).join("\n")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      proxy_pass http://atelier;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      add_header x-served-by $upstream_addr always;
    }
  }
}
`;
}
