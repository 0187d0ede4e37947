import { findChromium } from "./chromium.ts";
import { createCeph, hasCeph } from "./ceph.ts";
import { createPostgresCluster, findPostgres } from "./postgres-cluster.ts";
import { canReplaceDnsServer } from "./dns-override.ts";
import { hasPatroni } from "./patroni-cluster.ts";
import { skipWithout } from "./find-program.ts";
import { hasPds } from "./pds.ts";

/** A program or permission that tests need and npm does not install. */
export interface TestDependency {
  name: string;
  /** What is not tested without this dependency. */
  untested: string;
  /** How to install it. */
  installHint: string;
  /** Starts the program for this run; resolves to undefined if it is not available. */
  provide: () => Promise<ProvidedDependency | undefined>;
}

export interface ProvidedDependency {
  env: Record<string, string>;
  stop: () => Promise<void>;
}

const nothingToStart: ProvidedDependency = { env: {}, stop: async () => {} };
const whenTrue = (isAvailable: () => boolean) => async () => (isAvailable() ? nothingToStart : undefined);
const whenInstalled = (...programs: readonly string[]) => whenTrue(() => !skipWithout(...programs));

export const testDependencies: readonly TestDependency[] = [
  {
    name: "PostgreSQL",
    untested: "PostgreSQL (the integration tests ran only on SQLite)",
    installHint: "apt-get install postgresql",
    async provide() {
      const configuredUrl = process.env["TEST_DATABASE_URL"];
      if (configuredUrl) return { env: { TEST_DATABASE_URL: configuredUrl }, stop: async () => {} };
      const programFolder = findPostgres();
      if (!programFolder) return undefined;
      // Tests kill processes but not the machine, so writes survive in the kernel's page cache without fsync.
      const cluster = await createPostgresCluster(programFolder, { fsync: "off", full_page_writes: "off" });
      return { env: { TEST_DATABASE_URL: cluster.url() }, stop: cluster.remove };
    },
  },
  {
    name: "PostgreSQL server programs",
    untested:
      "a PostgreSQL server that restarts, hangs or runs out of connections (these tests start their own server)",
    installHint: "apt-get install postgresql",
    provide: whenTrue(() => findPostgres() !== undefined),
  },
  {
    name: "Patroni, etcd and HAProxy",
    untested: "a PostgreSQL cluster with failover",
    installHint: "apt-get install postgresql patroni etcd-server haproxy",
    provide: whenTrue(hasPatroni),
  },
  {
    name: "S3 server (Ceph Object Gateway)",
    untested: "S3 (the file store tests ran only on the disk store)",
    installHint:
      "apt-get install radosgw ceph-mon ceph-osd ceph-common, or set TEST_S3_ENDPOINT and the other TEST_S3_… variables",
    async provide() {
      // The tests also read the bucket, credentials, region and path style from TEST_S3_… (`getTestS3Settings`).
      if (process.env["TEST_S3_ENDPOINT"]) return { env: {}, stop: async () => {} };
      if (!hasCeph()) return undefined;
      const ceph = await createCeph();
      const env = {
        TEST_S3_ENDPOINT: ceph.endpoint,
        TEST_S3_BUCKET: ceph.bucket,
        TEST_S3_ACCESS_KEY_ID: ceph.accessKeyId,
        TEST_S3_SECRET_ACCESS_KEY: ceph.secretAccessKey,
      };
      return { env, stop: ceph.remove };
    },
  },
  {
    name: "Ceph and HAProxy",
    untested: "a Ceph cluster that loses daemons, and several processes behind HAProxy",
    installHint: "apt-get install radosgw ceph-mon ceph-osd ceph-common haproxy",
    provide: whenTrue(() => hasCeph() && !skipWithout("haproxy")),
  },
  {
    name: "Chromium",
    untested: "the upload page and the web app in a real browser",
    installHint: "apt-get install chromium-headless-shell (or chromium), or set CHROMIUM_PATH",
    async provide() {
      const path = findChromium();
      return path === undefined ? undefined : { env: { CHROMIUM_PATH: path }, stop: async () => {} };
    },
  },
  {
    name: "curl",
    untested: "uploads from a terminal with curl",
    installHint: "apt-get install curl",
    provide: whenInstalled("curl"),
  },
  {
    name: "nginx",
    untested: "several instances behind a load balancer",
    installHint: "apt-get install nginx-light",
    provide: whenInstalled("nginx"),
  },
  {
    name: "PgBouncer",
    untested: "PostgreSQL behind a transaction pooler",
    installHint: "apt-get install pgbouncer",
    provide: whenInstalled("pgbouncer"),
  },
  {
    name: "snac",
    untested: "publishing to a Mastodon server",
    installHint: "apt-get install snac2 (Debian 13, or the backports of Debian 12)",
    provide: whenInstalled("snac"),
  },
  {
    name: "Bluesky PDS",
    untested: "publishing to a Bluesky server",
    installHint: "npm ci --ignore-scripts --prefix test/servers/pds",
    provide: whenTrue(hasPds),
  },
  {
    name: "script and mkfifo",
    untested: "a server in a terminal, and one whose log goes to a pipe",
    installHint: "apt-get install bsdutils coreutils",
    provide: whenInstalled("script", "mkfifo"),
  },
  {
    name: "strace",
    untested: "disk errors, and processes killed during a write",
    installHint: "apt-get install strace",
    provide: whenInstalled("strace"),
  },
  {
    name: "Root with mount namespaces",
    untested: "a running service whose DNS server never responds",
    installHint: "run as root, in a container with CAP_SYS_ADMIN",
    provide: whenTrue(canReplaceDnsServer),
  },
  {
    name: "systemd-analyze",
    untested: "the systemd units in deploy/",
    installHint: "apt-get install systemd",
    provide: whenInstalled("systemd-analyze"),
  },
  {
    name: "Prometheus",
    untested: "the alert rules and the dashboard in deploy/",
    installHint: "apt-get install prometheus",
    provide: whenInstalled("promtool", "prometheus"),
  },
];
