import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isServing, startServerProgram } from "./server-program.ts";
import { createTempFolder } from "./temp-folder.ts";

export interface Nginx {
  stop(): Promise<void>;
}

/**
 * Starts a load balancer without session affinity: each request goes to the next upstream in turn. The response header
 * `x-served-by` names the upstream.
 */
export async function startNginx(program: string, port: number, upstreamPorts: readonly number[]): Promise<Nginx> {
  const folder = createTempFolder("atelier-nginx-");
  const toPath = (name: string) => join(folder.path, name);
  writeFileSync(toPath("nginx.conf"), renderConfig(folder.path, port, upstreamPorts));
  const args = ["-p", folder.path, "-e", "stderr", "-c", toPath("nginx.conf")];
  const nginx = await startServerProgram(program, args, () => isServing(`http://127.0.0.1:${port}/healthz`));
  return {
    async stop() {
      await nginx.stop();
      folder.remove();
    },
  };
}

function renderConfig(folder: string, port: number, upstreamPorts: readonly number[]): string {
  const tempPathNames = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
${tempPathNames.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}
  upstream atelier {
${upstreamPorts.map((upstreamPort) => `    server 127.0.0.1:${upstreamPort} max_fails=1 fail_timeout=1s;`).join("\n")}
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
