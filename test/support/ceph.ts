import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { onExit } from "./at-exit.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreePorts } from "./free-ports.ts";
import { findProgram } from "./find-program.ts";

/** A temporary S3 server: Ceph's gateway with one monitor and one storage daemon that stores objects in memory. */
export interface Ceph {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Stops all daemons and deletes their folder. */
  remove(): Promise<void>;
}

const programs = ["ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"] as const;
type Program = (typeof programs)[number];

const gibibyte = 1024 ** 3;

/** Whether Debian's `radosgw ceph-mon ceph-osd ceph-common` or equivalent packages are installed. */
export function hasCeph(): boolean {
  return programs.every((program) => findProgram(program) !== undefined);
}

export async function createCeph(): Promise<Ceph> {
  const folder = createTempFolder("atelier-ceph-");
  const [monitorPort, gatewayPort] = await findFreePorts(2);
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  const toPath = (name: string) => join(folder.path, name);
  const accessKeyId = randomBytes(10).toString("hex").toUpperCase();
  const secretAccessKey = randomBytes(20).toString("hex");
  const bucket = "atelier-test";
  const fsid = randomUUID();
  const daemons: { process: ChildProcess; log: string[] }[] = [];

  writeFileSync(toPath("ceph.conf"), renderConfig(folder.path, fsid, `v1:127.0.0.1:${monitorPort}`));
  for (const name of ["mon", "osd", "run"]) mkdirSync(toPath(name));

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

  function start(program: Program, ...args: string[]): void {
    const child = spawn(program, [...args, "-f"], { ...options, stdio: ["ignore", "ignore", "pipe"] });
    const log: string[] = [];
    child.stderr.on("data", (chunk: Buffer) => void (log.push(chunk.toString()) > 100 && log.shift()));
    daemons.push({ process: child, log });
  }

  async function remove(): Promise<void> {
    // SIGKILL: all data is in memory, so there is nothing to flush.
    const exits = daemons.splice(0).map(async ({ process: child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    });
    await Promise.all(exits);
    folder.remove();
  }
  onExit(() => daemons.forEach((daemon) => daemon.process.kill("SIGKILL")));

  try {
    const keyring = toPath("keyring");
    const adminCapabilities = ["--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mds", "allow *"];
    await run("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *");
    await run("ceph-authtool", keyring, "--gen-key", "-n", "client.admin", ...adminCapabilities);
    await run(
      "ceph-authtool",
      keyring,
      "--gen-key",
      "-n",
      "client.rgw",
      "--cap",
      "mon",
      "allow rw",
      "--cap",
      "osd",
      "allow rwx",
    );
    await run(
      "ceph-authtool",
      keyring,
      "--gen-key",
      "-n",
      "osd.0",
      "--cap",
      "mon",
      "allow profile osd",
      "--cap",
      "osd",
      "allow *",
    );
    await run(
      "monmaptool",
      "--create",
      "--addv",
      "a",
      `[v1:127.0.0.1:${monitorPort}]`,
      "--fsid",
      fsid,
      toPath("monmap"),
    );
    await run("ceph-mon", "--mkfs", "-i", "a", "--monmap", toPath("monmap"), "--keyring", keyring);
    start("ceph-mon", "-i", "a");
    const osdId = randomUUID();
    await run("ceph", "osd", "create", osdId, "0");
    await run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osdId);
    start("ceph-osd", "-i", "0");
    const keys = ["--access-key", accessKeyId, "--secret-key", secretAccessKey];
    await run("radosgw-admin", "user", "create", "--uid", "atelier", "--display-name", "Atelier", ...keys);
    start("radosgw", "-n", "client.rgw", "--rgw_frontends", `beast endpoint=127.0.0.1:${gatewayPort}`);
    await createBucket({ endpoint, bucket, accessKeyId, secretAccessKey }, () => {
      const exitedDaemon = daemons.find(({ process: child }) => child.exitCode !== null);
      if (exitedDaemon) throw new Error(`a Ceph daemon exited:\n${exitedDaemon.log.join("")}`);
    });
    return { endpoint, bucket, accessKeyId, secretAccessKey, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function renderConfig(folder: string, fsid: string, monitor: string): string {
  return Object.entries({
    fsid,
    mon_host: monitor,
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
    osd_data: `${folder}/osd`,
    run_dir: `${folder}/run`,
    admin_socket: "",
    pid_file: "",
    log_file: "",
    mon_cluster_log_file: "",
    log_to_stderr: "false",
    osd_objectstore: "memstore",
    memstore_device_bytes: 6 * gibibyte,
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
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
  }).reduce((text, [name, value]) => `${text}${name} = ${value}\n`, "[global]\n");
}

async function createBucket(ceph: Omit<Ceph, "remove">, throwIfExited: () => void): Promise<void> {
  const client = new S3Client({
    endpoint: ceph.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: ceph,
    maxAttempts: 1,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: ceph.bucket }));
      client.destroy();
      return;
    } catch (error) {
      throwIfExited();
      if (Date.now() > deadline) throw new Error("the S3 gateway did not start", { cause: error });
      await sleep(100);
    }
  }
}
