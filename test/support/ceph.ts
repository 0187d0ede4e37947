import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { onExit } from "./at-exit.ts";
import { waitForCleanPools, type CephPool } from "./ceph-placement.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreePorts } from "./free-ports.ts";
import { skipWithout } from "./find-program.ts";
import { waitUntil } from "./wait-until.ts";

/**
 * A temporary S3 server: Ceph's gateway with one monitor and storage daemons that store objects in memory. With more than
 * one storage daemon, each object has three replicas, and writes need two of them.
 */
export interface Ceph {
  /** The URL of the first gateway. */
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  gateways: readonly CephGateway[];
  /** A storage daemon loses its data when it exits, like a disk that has to be replaced. */
  osds: readonly CephDaemon[];
  /** Resolves when every placement group has all its replicas. */
  waitUntilClean(): Promise<void>;
  /** Stops all daemons and deletes their folder. */
  remove(): Promise<void>;
}

export interface CephDaemon {
  readonly name: string;
  start(): void;
  /** Sends SIGKILL; resolves after the daemon has exited. */
  kill(): Promise<void>;
  /** Sends SIGSTOP, as if its machine no longer responded. */
  pause(): void;
  resume(): void;
}

export interface CephGateway extends CephDaemon {
  readonly port: number;
}

const programs = ["ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"] as const;
type Program = (typeof programs)[number];

const gibibyte = 1024 ** 3;

/** Whether Debian's `radosgw ceph-mon ceph-osd ceph-common` or equivalent packages are installed. */
export const hasCeph = (): boolean => !skipWithout(...programs);

/** `heartbeatGraceSeconds` is how long a storage daemon may be silent before the others report it; Ceph's default is 20. */
export async function createCeph({ osdCount = 1, gatewayCount = 1, heartbeatGraceSeconds = 20 } = {}): Promise<Ceph> {
  const folder = createTempFolder("atelier-ceph-");
  const [monitorPort, ...gatewayPorts] = await findFreePorts(1 + gatewayCount);
  const endpoint = `http://127.0.0.1:${gatewayPorts[0]}`;
  const toPath = (name: string) => join(folder.path, name);
  const accessKeyId = randomBytes(10).toString("hex").toUpperCase();
  const secretAccessKey = randomBytes(20).toString("hex");
  const bucket = "atelier-test";
  const fsid = randomUUID();
  const osdIds = Array.from({ length: osdCount }, (_, id) => id);
  const daemons: (CephDaemon & { throwIfExited(): void; killNow(): void })[] = [];

  const config = renderConfig(folder.path, {
    fsid,
    mon_host: `v1:127.0.0.1:${monitorPort}`,
    osd_pool_default_size: osdCount === 1 ? 1 : 3,
    osd_pool_default_min_size: osdCount === 1 ? 1 : 2,
    osd_heartbeat_grace: heartbeatGraceSeconds,
    osd_heartbeat_interval: Math.min(6, Math.floor(heartbeatGraceSeconds / 3)),
  });
  writeFileSync(toPath("ceph.conf"), config);
  for (const name of ["mon", "run", ...osdIds.map((id) => `osd-${id}`)]) mkdirSync(toPath(name));

  const options = { cwd: folder.path, env: { PATH: process.env["PATH"], CEPH_CONF: toPath("ceph.conf"), LC_ALL: "C" } };

  async function run(program: Program, ...args: string[]): Promise<string> {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const output: string[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output.join("")}`);
    return output.join("");
  }

  function start(name: string, program: Program, ...args: string[]): CephDaemon {
    let child: ChildProcess | undefined;
    const log: string[] = [];
    const isRunning = (): boolean => child?.exitCode === null && child.signalCode === null;
    const daemon = {
      name,
      start() {
        child = spawn(program, [...args, "-f"], { ...options, stdio: ["ignore", "ignore", "pipe"] });
        child.stderr?.on("data", (chunk: Buffer) => void (log.push(chunk.toString()) > 100 && log.shift()));
      },
      async kill() {
        if (!child || !isRunning()) return;
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      },
      killNow: () => void child?.kill("SIGKILL"),
      pause: () => void child?.kill("SIGSTOP"),
      resume: () => void child?.kill("SIGCONT"),
      throwIfExited() {
        if (!isRunning()) throw new Error(`${name} exited:\n${log.join("")}`);
      },
    };
    daemon.start();
    daemons.push(daemon);
    return daemon;
  }

  async function remove(): Promise<void> {
    // SIGKILL: all data is in memory, so there is nothing to flush.
    await Promise.all(daemons.splice(0).map((daemon) => daemon.kill()));
    folder.remove();
  }
  onExit(() => daemons.forEach((daemon) => daemon.killNow()));

  const keyring = toPath("keyring");
  const addKey = (name: string, capabilities: Record<string, string>): Promise<string> => {
    const caps = Object.entries(capabilities).flatMap(([service, capability]) => ["--cap", service, capability]);
    return run("ceph-authtool", keyring, "--gen-key", "-n", name, ...caps);
  };

  async function startOsd(id: number): Promise<CephDaemon> {
    const uuid = randomUUID();
    await run("ceph", "osd", "create", uuid, String(id));
    await run("ceph-osd", "-i", String(id), "--mkfs", "--osd-uuid", uuid);
    return start(`osd.${id}`, "ceph-osd", "-i", String(id));
  }

  try {
    await run("ceph-authtool", "--create-keyring", keyring);
    await addKey("mon.", { mon: "allow *" });
    await addKey("client.admin", { mon: "allow *", osd: "allow *", mds: "allow *" });
    await addKey("client.rgw", { mon: "allow rw", osd: "allow rwx" });
    for (const id of osdIds) await addKey(`osd.${id}`, { mon: "allow profile osd", osd: "allow *" });
    const monitorAddress = `[v1:127.0.0.1:${monitorPort}]`;
    await run("monmaptool", "--create", "--addv", "a", monitorAddress, "--fsid", fsid, toPath("monmap"));
    await run("ceph-mon", "--mkfs", "-i", "a", "--monmap", toPath("monmap"), "--keyring", keyring);
    start("mon.a", "ceph-mon", "-i", "a");
    const osds = await Promise.all(osdIds.map(startOsd));
    const keys = ["--access-key", accessKeyId, "--secret-key", secretAccessKey];
    await run("radosgw-admin", "user", "create", "--uid", "atelier", "--display-name", "Atelier", ...keys);
    const gateways = gatewayPorts.map((port, index): CephGateway => {
      const frontend = ["--rgw_frontends", `beast endpoint=127.0.0.1:${port}`];
      return { ...start(`rgw.${index + 1}`, "radosgw", "-n", "client.rgw", ...frontend), port };
    });
    for (const port of gatewayPorts)
      await createBucket({ endpoint: `http://127.0.0.1:${port}`, bucket, accessKeyId, secretAccessKey }, () =>
        daemons.forEach((daemon) => daemon.throwIfExited()),
      );
    const listPools = async (): Promise<CephPool[]> =>
      JSON.parse(await run("ceph", "osd", "pool", "ls", "detail", "--format", "json"));
    const waitUntilClean = async (): Promise<void> =>
      waitForCleanPools(
        osdIds.map((id) => toPath(`run/osd.${id}.asok`)),
        await listPools(),
      );
    return { endpoint, bucket, accessKeyId, secretAccessKey, gateways, osds, waitUntilClean, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function renderConfig(folder: string, clusterSettings: Record<string, string | number>): string {
  const settings = {
    ...clusterSettings,
    mon_initial_members: "a",
    auth_cluster_required: "cephx",
    auth_service_required: "cephx",
    auth_client_required: "cephx",
    auth_allow_insecure_global_id_reclaim: "false",
    public_addr: "127.0.0.1",
    cluster_addr: "127.0.0.1",
    ms_bind_ipv6: "false",
    keyring: `${folder}/keyring`,
    mon_data: `${folder}/mon`,
    osd_data: `${folder}/osd-$id`,
    run_dir: `${folder}/run`,
    admin_socket: "",
    pid_file: "",
    log_file: "",
    mon_cluster_log_file: "",
    log_to_stderr: "false",
    osd_objectstore: "memstore",
    memstore_device_bytes: 6 * gibibyte,
    osd_pool_default_pg_num: 4,
    osd_pool_default_pg_autoscale_mode: "off",
    osd_crush_chooseleaf_type: 0,
    mon_allow_pool_size_one: "true",
    mon_data_avail_warn: 1,
    mon_data_avail_crit: 0,
    mon_osd_full_ratio: 0.99,
    rgw_enable_usage_log: "false",
    rgw_enable_ops_log: "false",
    rgw_run_sync_thread: "false",
    // Two daemons have to report that a third is down. By default they must be on different hosts.
    mon_osd_reporter_subtree_level: "osd",
    mon_osd_adjust_heartbeat_grace: "false",
    osd_recovery_sleep: 0,
    osd_max_backfills: 8,
    osd_recovery_retry_interval: 1,
    osd_backfill_retry_interval: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return ["[global]", ...lines, "[osd]", `admin_socket = ${folder}/run/$name.asok`, ""].join("\n");
}

type BucketLocation = Pick<Ceph, "endpoint" | "bucket" | "accessKeyId" | "secretAccessKey">;

/** Resolves when the gateway has created the bucket, or found it. */
async function createBucket(ceph: BucketLocation, throwIfExited: () => void): Promise<void> {
  const client = new S3Client({
    endpoint: ceph.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: ceph,
    maxAttempts: 1,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const tryCreate = (): Promise<boolean> => {
    throwIfExited();
    return client.send(new CreateBucketCommand({ Bucket: ceph.bucket })).then(
      () => true,
      () => false,
    );
  };
  await waitUntil(tryCreate, { timeoutMs: 60_000, intervalMs: 100, description: "the S3 gateway creates a bucket" });
  client.destroy();
}
