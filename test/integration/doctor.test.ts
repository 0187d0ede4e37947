import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { findSettingProblems } from "#app/setting-problems.ts";
import { readConfig } from "#config/config.ts";
import { runDoctor } from "#ops/doctor/doctor.ts";
import type { CheckResult } from "#portable/checks.ts";
import { createCertificate } from "../support/certificate.ts";
import { forEachEngine, getDatabaseSettings } from "../support/engines.ts";
import { findProgram, skipWithout } from "../support/find-program.ts";
import { findFreePorts } from "../support/free-ports.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { readDeployedSite, writeNginxConfig, type SitePorts } from "../support/nginx-site.ts";
import { runCommand } from "../support/operator-commands.ts";
import { startServerProgram } from "../support/server-program.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const setupsFolder = join(import.meta.dirname, "../setups");

/** What the header of a set-up's file says. */
function readSetup(file: string) {
  const text = readFileSync(join(setupsFolder, file), "utf8");
  const field = (name: string): string => new RegExp(`^# ${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return { text, check: field("check"), message: field("message"), advice: field("advice"), field };
}

const diagnose = (env: Record<string, string>) =>
  runDoctor({
    readConfig: () => readConfig(env, findSettingProblems),
    nodeVersion: process.versions.node,
    requiredNodeVersion: "24.0.0",
  });

/** The first check that failed; the checks after it are skipped or, if they do not depend on it, fail for themselves. */
function findCause(checks: readonly CheckResult[]): CheckResult {
  return checks.find(({ status }) => status === "failed") ?? assert.fail(`nothing failed: ${JSON.stringify(checks)}`);
}

/** Everything that a run could change. */
function readFolder(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, stats: statSync(join(path, name)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ name, stats }) => `${name} ${stats.size} ${stats.mtimeMs}`)
    .toSorted();
}

describe("doctor behind nginx", { skip: skipWithout("nginx") }, () => {
  const folder = createTempFolder();
  const dataDir = join(folder.path, "data");
  const { key, cert } = createCertificate(["localhost", "127.0.0.1"]);
  const certificates = {
    expired: createCertificate(["localhost"], "ec", 0),
    other: createCertificate(["www.example.com"]),
    unknown: createCertificate(["localhost"]),
  };
  let ports: SitePorts;
  let env: Record<string, string>;
  let main: MainProcess;

  before(async () => {
    const [plain = 0, secure = 0, service = 0] = await findFreePorts(3);
    ports = { plain, secure, service };
    env = {
      BASE_URL: `https://localhost:${secure}`,
      PORT: String(service),
      DATA_DIR: dataDir,
      TRUST_PROXY: "loopback",
    };
    for (const [name, pair] of Object.entries({ ...certificates, valid: { key, cert } })) {
      const prefix = name === "valid" ? "" : `${name}-`;
      writeFileSync(join(folder.path, `${prefix}key.pem`), pair.key);
      writeFileSync(join(folder.path, `${prefix}cert.pem`), pair.cert);
    }
    setDefaultCACertificates([...getCACertificates(), cert, certificates.expired.cert, certificates.other.cert]);
    main = await startMain(env);
  });
  after(async () => {
    await main?.kill();
    folder.remove();
  });

  async function withNginx<T>(siteConfig: string, work: () => Promise<T>): Promise<T> {
    const args = ["-c", writeNginxConfig(folder.path, siteConfig), "-p", folder.path];
    const nginx = await startServerProgram(findProgram("nginx") ?? "", args, async () => {
      const socket = connect(ports.secure, "127.0.0.1");
      return once(socket, "connect")
        .then(() => true)
        .catch(() => false)
        .finally(() => socket.destroy());
    });
    return work().finally(() => nginx.stop());
  }

  function renderSite({ text, field }: ReturnType<typeof readSetup>): string {
    const prefix = field("certificate") === "" ? "" : `${field("certificate")}-`;
    const tls = `ssl_certificate ${folder.path}/${prefix}cert.pem; ssl_certificate_key ${folder.path}/${prefix}key.pem;`;
    const listen = `listen 127.0.0.1:${ports.secure}`;
    return `
      upstream atelier { server 127.0.0.1:${ports.service}; }
      access_log off; client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; proxy_http_version 1.1;
      server { ${field("listen") === "plain" ? `${listen};` : `${listen} ssl; ${tls}`}
      ${text}
      }`;
  }

  test("finds nothing wrong with deploy/nginx.conf, changes nothing and prints no secret (RUN-10)", async () => {
    await withNginx(readDeployedSite(folder.path, ports), async () => {
      const filesBefore = readFolder(dataDir);
      const { code, stdout } = await runCommand(["doctor", "--json"], {
        ...env,
        SECRETS: "a-secret-of-32-bytes-0123456789abcdef",
        NODE_EXTRA_CA_CERTS: join(folder.path, "cert.pem"),
      });
      const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: CheckResult[] };
      assert.deepEqual(
        checks.filter(({ status }) => status !== "ok").map(({ name }) => name),
        ["mail"], // skipped, because no mail server is set
        stdout,
      );
      assert.deepEqual([ok, code], [true, 0]);
      assert.deepEqual(Object.keys(checks[0] ?? {}), ["name", "status", "message", "advice"]);
      assert.ok(!stdout.includes("a-secret"));
      assert.deepEqual(readFolder(dataDir), filesBefore);
    });
  });

  for (const file of readdirSync(setupsFolder)) {
    test(`names the cause and the fix of ${file} (RUN-10)`, async () => {
      const setup = readSetup(file);
      const isProxy = file.endsWith(".conf");
      const lines = [...setup.text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)];
      const settings = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
      const base = settings["BASE_URL"]?.replace("$PORT", String(ports.secure));
      const doctorEnv = isProxy ? env : { ...env, ...settings, ...(base === undefined ? {} : { BASE_URL: base }) };
      const site = isProxy
        ? renderSite(setup)
        : readDeployedSite(folder.path, ports).replace("Host $http_host", `Host localhost:${ports.secure}`);
      const { ok, checks } = await withNginx(site, () => diagnose(doctorEnv));
      const cause = findCause(checks);
      assert.equal(ok, false);
      assert.equal(cause.name, setup.check, JSON.stringify(cause));
      assert.match(cause.message, new RegExp(setup.message));
      assert.ok(cause.advice.includes(setup.advice), cause.advice);
      assert.ok(!/\n|a-secret/.test(checks.map(({ message, advice }) => message + advice).join("")));
    });
  }
});

forEachEngine("doctor and the database", (fixture) => {
  test("finds every migration applied, and the store and the mail server usable (RUN-10)", async () => {
    const mailServer = await startMailServer();
    const { dataDir } = fixture.location;
    const [port = 0] = await findFreePorts(1);
    const { checks } = await diagnose({
      DATA_DIR: dataDir,
      PORT: String(port),
      SMTP_URL: mailServer.url,
      MAIL_FROM: "atelier@example.com",
      ...getDatabaseSettings(fixture.location),
    }).finally(mailServer.close);
    const findCheck = (name: string) => checks.find((check) => check.name === name);
    assert.match(findCheck("database")?.message ?? "", fixture.engine === "postgres" ? /^PostgreSQL/ : /^SQLite/);
    assert.equal(findCheck("migrations")?.message, "The database has every migration of this version.");
    assert.deepEqual([findCheck("store")?.status, findCheck("mail")?.status], ["ok", "ok"]);
    assert.equal(findCause(checks).name, "url");
  });
});

describe("doctor without a running server", () => {
  const folder = createTempFolder();
  after(() => folder.remove());

  test("checks only the settings and the machine before the first start, and creates no file (RUN-10)", async () => {
    const { code, output, stdout } = await runCommand(["doctor"], { DATA_DIR: join(folder.path, "data") });
    assert.equal(code, 0, output);
    assert.match(stdout, /^ok +settings /m);
    assert.match(stdout, /^skipped +streams +Not checked, because of “server”/m);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  test("reports a server that stopped, pending migrations, and a database of a newer version (RUN-10)", async () => {
    const dataDir = join(folder.path, "stopped");
    mkdirSync(dataDir);
    const writeHistory = (name: string): void => {
      using db = new DatabaseSync(join(dataDir, "atelier.db"));
      db.exec("PRAGMA journal_mode = WAL");
      db.exec("CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT, checksum TEXT)");
      if (name !== "") db.exec(`INSERT INTO schema_migrations VALUES ('${name}', 'x')`);
    };
    writeHistory("");
    const [port = 0] = await findFreePorts(1);
    const env = { DATA_DIR: dataDir, PORT: String(port) };
    const filesBefore = readFolder(dataDir);
    const { checks } = await diagnose(env);
    const findCheck = (name: string) => checks.find((check) => check.name === name);
    assert.equal(findCause(checks).name, "url");
    assert.match(findCheck("migrations")?.message ?? "", /^The next start applies migrations: \d+\.$/);
    assert.equal(findCheck("migrations")?.status, "warning");
    assert.deepEqual(readFolder(dataDir), filesBefore);
    writeHistory("9999-of-the-future.sql");
    const cause = findCause((await diagnose(env)).checks);
    assert.equal(cause.name, "migrations");
    assert.match(cause.message, /newer version/);
  });

  test("rejects an old version of Node", async () => {
    const readNoConfig = () => assert.fail("the settings are invalid");
    const { checks } = await runDoctor({
      readConfig: readNoConfig,
      nodeVersion: "22.9.0",
      requiredNodeVersion: "24.18.1",
    });
    assert.deepEqual(
      checks.map(({ name, status }) => `${name} ${status}`),
      ["node failed", "settings failed"],
    );
  });
});
