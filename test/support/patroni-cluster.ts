import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { onExit } from "./at-exit.ts";
import { findFreePorts } from "./free-ports.ts";
import { findProgram, skipWithout } from "./find-program.ts";
import { removeUser } from "./haproxy.ts";
import { findPostgres, getServerIdentity } from "./postgres-cluster.ts";
import { isRunning, listProcessTree, signalAll } from "./process-tree.ts";
import { createTempFolder } from "./temp-folder.ts";
import { waitUntil } from "./wait-until.ts";

/**
 * Three PostgreSQL servers under Patroni with etcd, and HAProxy in front, with the configuration in `deploy/`. Only names,
 * IP addresses, ports, folders and passwords are replaced; fsync is off, and the servers keep less WAL.
 */
export interface PatroniCluster {
  /** The URL of the primary through HAProxy, with the superuser's credentials. */
  readonly url: string;
  readonly nodes: readonly PatroniNode[];
  /** Resolves with the primary once all nodes are running and one of the others is its synchronous standby. */
  waitUntilHealthy(): Promise<PatroniNode>;
  /** Asks Patroni to make the synchronous standby the primary. */
  switchOver(primary: PatroniNode): Promise<void>;
  /** Kills etcd, and starts it again with its data after `downMs`. */
  restartEtcd(downMs: number): Promise<void>;
  remove(): Promise<void>;
}

export interface PatroniNode {
  readonly name: string;
  /** The URL of this server, not through HAProxy. */
  readonly url: string;
  start(): void;
  /** Sends SIGKILL to PostgreSQL and Patroni, as if the machine had failed. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to PostgreSQL and Patroni, as if the virtual machine were paused. */
  pause(): void;
  resume(): void;
}

interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

const deployFolder = join(import.meta.dirname, "../../deploy");

export const hasPatroni = (): boolean => findPostgres() !== undefined && !skipWithout("patroni", "etcd", "haproxy");

export async function createPatroniCluster(): Promise<PatroniCluster> {
  const folder = createTempFolder("atelier-patroni-");
  const identity = getServerIdentity();
  const toPath = (name: string): string => join(folder.path, name);
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder.path, identity.uid, identity.gid);
  const [etcdPort = 0, etcdPeerPort = 0, haproxyPort = 0, ...nodePorts] = await findFreePorts(9);
  const password = randomBytes(24).toString("hex");
  const log: string[] = [];

  function run(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(findProgram(program) ?? "", args, {
      ...identity,
      cwd: folder.path,
      env: { PATH: process.env["PATH"], LC_ALL: "C", PYTHONUNBUFFERED: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const output of [child.stdout, child.stderr])
      output?.on("data", (chunk: Buffer) => void (log.push(`${program}: ${chunk.toString()}`) > 500 && log.shift()));
    return child;
  }

  const startEtcd = (): ChildProcess => {
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPeerPort}`];
    const urls = [
      ["--listen-client-urls", clientUrl],
      ["--advertise-client-urls", clientUrl],
      ["--listen-peer-urls", peerUrl],
      ["--initial-advertise-peer-urls", peerUrl],
      ["--initial-cluster", `etcd1=${peerUrl}`],
    ];
    return run("etcd", ["--enable-v2", "--name", "etcd1", "--data-dir", toPath("etcd"), ...urls.flat()]);
  };

  const nodes = [0, 1, 2].map((index): PatroniNode & { restUrl: string; listPids(): number[] } => {
    const name = `db${index + 1}`;
    const [port = 0, restPort = 0] = nodePorts.slice(index * 2);
    const dataFolder = toPath(`${name}-data`);
    const configPath = toPath(`${name}.yml`);
    const config = renderPatroniConfig({ name, port, restPort, etcdPort, dataFolder, folder: folder.path, password });
    writeFileSync(configPath, config, { mode: 0o644 });
    let patroni: ChildProcess | undefined;
    const listPids = (): number[] => [
      ...(patroni?.pid && patroni.exitCode === null && patroni.signalCode === null ? listProcessTree(patroni.pid) : []),
      ...listProcessTree(readPostmasterPid(dataFolder)),
    ];
    return {
      name,
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      restUrl: `http://127.0.0.1:${restPort}`,
      listPids,
      start: () => void (patroni = run("patroni", [configPath])),
      async kill() {
        // Stopped first, so that no process starts another one between the list and the kill.
        signalAll(listPids(), "SIGSTOP");
        const pids = listPids();
        signalAll(pids, "SIGKILL");
        await waitUntil(() => !pids.some(isRunning), { description: `${name} is dead` });
      },
      pause: () => signalAll(listPids(), "SIGSTOP"),
      resume: () => signalAll(listPids(), "SIGCONT"),
    };
  });

  let etcd = startEtcd();
  writeFileSync(toPath("haproxy.cfg"), renderHaproxyConfig(haproxyPort, nodePorts), { mode: 0o644 });
  const haproxy = run("haproxy", ["-f", toPath("haproxy.cfg"), "-db"]);
  const killAll = (): void => {
    signalAll([...nodes.flatMap((node) => node.listPids()), etcd.pid ?? 0, haproxy.pid ?? 0], "SIGKILL");
  };
  const unregister = onExit(killAll);

  async function listMembers(): Promise<Member[]> {
    for (const { restUrl } of nodes) {
      const response = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
      if (response?.ok) return ((await response.json()) as { members: Member[] }).members;
    }
    return [];
  }

  const cluster: PatroniCluster = {
    url: `postgres://postgres:${password}@127.0.0.1:${haproxyPort}/postgres`,
    nodes,
    async waitUntilHealthy() {
      let members: Member[] = [];
      const isHealthy = async (): Promise<boolean> => {
        members = await listMembers();
        const timelines = new Set(members.map(({ timeline }) => timeline));
        return (
          members.length === nodes.length &&
          members.every(({ state }) => state === "running" || state === "streaming") &&
          members.some(({ role }) => role === "leader") &&
          members.some(({ role }) => role === "sync_standby") &&
          timelines.size === 1
        );
      };
      await waitUntil(isHealthy, { timeoutMs: 90_000, intervalMs: 200, description: "the cluster is healthy" }).catch(
        (error: unknown) => {
          throw new Error(`${JSON.stringify(members)}\n${log.slice(-40).join("")}`, { cause: error });
        },
      );
      const primaryName = members.find(({ role }) => role === "leader")?.name;
      const primary = nodes.find(({ name }) => name === primaryName);
      if (!primary) throw new Error(`unknown node ${primaryName}`);
      return primary;
    },
    async switchOver(primary) {
      const restUrl = nodes.find(({ name }) => name === primary.name)?.restUrl ?? "";
      const response = await fetch(`${restUrl}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader: primary.name }),
      });
      if (!response.ok) throw new Error(`the switchover failed: ${response.status} ${await response.text()}`);
    },
    async restartEtcd(downMs) {
      etcd.kill("SIGKILL");
      await once(etcd, "exit");
      await sleep(downMs);
      etcd = startEtcd();
    },
    async remove() {
      const pids = [...nodes.flatMap((node) => node.listPids()), etcd.pid ?? 0, haproxy.pid ?? 0];
      killAll();
      await waitUntil(() => !pids.some(isRunning), { description: "the cluster has exited" });
      unregister();
      folder.remove();
    },
  };

  try {
    for (const node of nodes) node.start();
    await cluster.waitUntilHealthy();
    return cluster;
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

function renderPatroniConfig(options: {
  name: string;
  port: number;
  restPort: number;
  etcdPort: number;
  dataFolder: string;
  folder: string;
  password: string;
}): string {
  const { name, port, restPort, etcdPort, dataFolder, folder, password } = options;
  const config = parse(readFileSync(join(deployFolder, "patroni.yml"), "utf8"));
  const socketFolder = join(folder, `${name}-socket`);
  mkdirSync(socketFolder, { mode: 0o777 });
  const { uid, gid } = getServerIdentity();
  if (uid !== undefined && gid !== undefined) chownSync(socketFolder, uid, gid);
  const { authentication, pg_hba: rules } = config.postgresql;
  for (const account of Object.values<{ password: string }>(authentication)) account.password = password;
  // Tests kill processes but not the machine, so writes survive in the kernel's page cache without fsync.
  Object.assign(config.bootstrap.dcs.postgresql.parameters, { fsync: "off", wal_keep_size: "64MB" });
  const addresses = (addressPort: number) => ({
    listen: `127.0.0.1:${addressPort}`,
    connect_address: `127.0.0.1:${addressPort}`,
  });
  Object.assign(config, { name, etcd: { hosts: [`127.0.0.1:${etcdPort}`] } });
  Object.assign(config.restapi, addresses(restPort));
  Object.assign(config.postgresql, addresses(port), {
    data_dir: dataFolder,
    bin_dir: findPostgres(),
    pgpass: join(folder, `${name}-pgpass`),
    parameters: { unix_socket_directories: socketFolder },
    pg_hba: rules.map((rule: string) => rule.replace("10.0.0.0/24", "127.0.0.1/32")),
  });
  return JSON.stringify(config); // which is also YAML
}

function renderHaproxyConfig(port: number, nodePorts: readonly number[]): string {
  // HAProxy runs as the user of PostgreSQL here.
  return removeUser(readFileSync(join(deployFolder, "haproxy-postgresql.cfg"), "utf8"))
    .replace("127.0.0.1:5000", `127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.(\d):5432/g, (_, node: string) => {
      const [postgresPort, restPort] = nodePorts.slice((Number(node) - 1) * 2);
      return `127.0.0.1:${postgresPort} port ${restPort}`;
    });
}

/** Returns the id of the server's main process; 0 if there is none. A killed server leaves its file. */
function readPostmasterPid(dataFolder: string): number {
  try {
    const pid = Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0]);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(dataFolder) ? pid : 0;
  } catch {
    return 0;
  }
}
