import { findChromium } from "./chromium.ts";
import { createCeph, hasCeph } from "./ceph.ts";
import { createPostgresCluster, findPostgres } from "./postgres-cluster.ts";
import { canReplaceDnsServer } from "./dns-override.ts";
import { findNginx } from "./nginx.ts";
import { findProgram } from "./find-program.ts";

/** Something a suite uses that npm does not bring. */
export interface TestDependency {
  name: string;
  /** What is left untested without it. */
  untested: string;
  /** The line that would bring it. */
  installHint: string;
  /** Starts it for the time of the run; undefined where this machine does not have it. */
  provide: () => Promise<ProvidedDependency | undefined>;
}

export interface ProvidedDependency {
  env: Record<string, string>;
  stop: () => Promise<void>;
}

/** What the suites use beside what npm brings. */
export const testDependencies: readonly TestDependency[] = [
  {
    name: "PostgreSQL",
    untested: "everything on PostgreSQL: the integration suites ran on SQLite only",
    installHint: "apt-get install postgresql",
    async provide() {
      const configuredUrl = process.env["TEST_DATABASE_URL"];
      if (configuredUrl) return { env: { TEST_DATABASE_URL: configuredUrl }, stop: async () => {} };
      const programs = findPostgres();
      if (!programs) return undefined;
      // The tests kill processes, not the machine: what the system holds in memory survives them.
      const cluster = await createPostgresCluster(programs, { fsync: "off", full_page_writes: "off" });
      return { env: { TEST_DATABASE_URL: cluster.url() }, stop: cluster.remove };
    },
  },
  {
    name: "PostgreSQL's own programs",
    untested: "a PostgreSQL that restarts, falls silent or runs full: those tests start a server of their own",
    installHint: "apt-get install postgresql",
    provide: async () => (findPostgres() ? { env: {}, stop: async () => {} } : undefined),
  },
  {
    name: "An S3 server (Ceph's gateway)",
    untested: "everything on S3: the suites of the file store ran on the disk store only",
    installHint:
      "apt-get install radosgw ceph-mon ceph-osd ceph-common, or TEST_S3_ENDPOINT with the other TEST_S3_… settings",
    async provide() {
      // TEST_S3_BUCKET, TEST_S3_ACCESS_KEY_ID, TEST_S3_SECRET_ACCESS_KEY, TEST_S3_REGION, TEST_S3_FORCE_PATH_STYLE
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
    name: "Chromium",
    untested: "everything in a real browser: the upload page and the web app",
    installHint: "apt-get install chromium, or CHROMIUM_PATH",
    async provide() {
      const path = findChromium();
      return path === undefined ? undefined : { env: { CHROMIUM_PATH: path }, stop: async () => {} };
    },
  },
  {
    name: "curl",
    untested: "uploads as people send them from a terminal",
    installHint: "apt-get install curl",
    provide: async () => (findProgram("curl") ? { env: {}, stop: async () => {} } : undefined),
  },
  {
    name: "nginx",
    untested: "several processes behind a load balancer",
    installHint: "apt-get install nginx-light",
    provide: async () => (findNginx() ? { env: {}, stop: async () => {} } : undefined),
  },
  {
    name: "strace",
    untested: "disks that fail and processes that die in the middle of a write",
    installHint: "apt-get install strace",
    provide: async () => (findProgram("strace") ? { env: {}, stop: async () => {} } : undefined),
  },
  {
    name: "Root with mount namespaces",
    untested: "a started service whose name server never responds",
    installHint: "run as root, in a container with CAP_SYS_ADMIN",
    provide: async () => (canReplaceDnsServer() ? { env: {}, stop: async () => {} } : undefined),
  },
  {
    name: "systemd-analyze",
    untested: "the units in deploy/",
    installHint: "apt-get install systemd",
    provide: async () => (findProgram("systemd-analyze") ? { env: {}, stop: async () => {} } : undefined),
  },
];
