import { join } from "node:path";
import { findFreePort } from "./free-ports.ts";
import { isServing, startServerProgram } from "./server-program.ts";
import { createTempFolder } from "./temp-folder.ts";

/** A Prometheus server with its data in a temporary folder. */
export interface Prometheus {
  /** Evaluates an expression now and returns the series of the result. */
  query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  /** Lists the rules. A `health` of `ok` means that the last evaluation succeeded. */
  listRules(): Promise<{ name: string; health: "ok" | "err" | "unknown"; state: "inactive" | "pending" | "firing" }[]>;
  stop(): Promise<void>;
}

export async function startPrometheus(program: string, configFile: string): Promise<Prometheus> {
  const folder = createTempFolder("atelier-prometheus-");
  const base = `http://127.0.0.1:${await findFreePort()}`;
  const args = [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(folder.path, "data")}`,
    `--web.listen-address=${new URL(base).host}`,
    "--log.level=error",
  ];
  const fetchData = async <T>(path: string): Promise<T> => {
    const response = (await (await fetch(`${base}/api/v1/${path}`)).json()) as { data?: T; error?: string };
    if (response.data === undefined) throw new Error(`${path}: ${response.error}`);
    return response.data;
  };
  const server = await startServerProgram(program, args, () => isServing(`${base}/-/ready`));
  return {
    query: async (expression) =>
      (await fetchData<{ result: [] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    listRules: async () => (await fetchData<{ groups: { rules: [] }[] }>("rules")).groups.flatMap(({ rules }) => rules),
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}
