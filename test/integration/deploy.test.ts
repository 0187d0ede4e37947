import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "#config/config.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { skipWithout } from "../support/find-program.ts";

/** Checks the files in deploy/ as far as possible without building images or starting a cluster. */

const root = join(import.meta.dirname, "../..");
const readDeployFile = (file: string): string => readFileSync(join(root, "deploy", file), "utf8");

/** Settings that README.md documents. */
const documentedSettings = new Set(
  [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^\| (`[^|]+`) \|[^|]*\| ([^|]*)/gm)].flatMap(
    ([, names, more]) => [...`${names} ${more}`.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name),
  ),
);
const secrets = {
  SECRETS: "s".repeat(32),
  DATABASE_URL: "postgres://db/atelier",
  OIDC_CLIENT_SECRET: "x",
  S3_ACCESS_KEY_ID: "x",
  S3_SECRET_ACCESS_KEY: "x",
};

function assertValidSettings(env: Record<string, string>): void {
  assert.deepEqual(
    Object.keys(env).filter((name) => !documentedSettings.has(name)),
    [],
  );
  readConfig(env); // throws if the server would not start
}

interface Pod {
  terminationGracePeriodSeconds: number;
  containers: {
    ports: { name: string; containerPort: number }[];
    envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
    lifecycle: { preStop: { sleep: { seconds: number } } };
    [probe: string]: unknown;
  }[];
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  spec: {
    selector: { matchLabels?: object } & Record<string, unknown>;
    template: { metadata: { labels: object }; spec: Pod };
    ports: { name: string; targetPort: string }[];
    rules: { host: string; http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[];
  };
}

test("Kubernetes manifests reference each other correctly and contain valid settings", () => {
  const documents = parseAllDocuments(readDeployFile("kubernetes.yaml"));
  assert.deepEqual(
    documents.flatMap(({ errors }) => errors),
    [],
  );
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const findManifest = (kind: string): Manifest =>
    manifests.find((manifest) => manifest.kind === kind) ?? assert.fail(kind);
  const { template } = findManifest("Deployment").spec;
  const { labels } = template.metadata;
  assert.deepEqual(findManifest("Deployment").spec.selector.matchLabels, labels);
  assert.deepEqual(findManifest("PodDisruptionBudget").spec.selector.matchLabels, labels);
  assert.deepEqual(findManifest("Service").spec.selector, labels);
  const [container] = template.spec.containers;
  assert.ok(container);
  const port = container.ports[0]?.name;
  assert.equal(findManifest("Service").spec.ports[0]?.targetPort, port);
  for (const [probe, path] of [
    ["startupProbe", "/healthz"],
    ["livenessProbe", "/healthz"],
    ["readinessProbe", "/readyz"],
  ] as const)
    assert.deepEqual((container[probe] as { httpGet: object }).httpGet, { path, port });
  const requestDrainSeconds = 30;
  assert.ok(
    template.spec.terminationGracePeriodSeconds >= container.lifecycle.preStop.sleep.seconds + requestDrainSeconds + 5,
  );
  const backend = findManifest("Ingress").spec.rules[0]?.http.paths[0]?.backend.service;
  assert.deepEqual(backend, {
    name: findManifest("Service").metadata.name,
    port: { name: findManifest("Service").spec.ports[0]?.name },
  });

  const { data } = findManifest("ConfigMap");
  assert.equal(container.envFrom[0]?.configMapRef?.name, findManifest("ConfigMap").metadata.name);
  assertValidSettings({ ...readImageSettings(), ...data, ...secrets });
  assert.equal(new URL(data["BASE_URL"] ?? "").hostname, findManifest("Ingress").spec.rules[0]?.host);
  assert.equal(container.ports[0]?.containerPort, Number(readImageSettings()["PORT"]));
});

test("the compose file references existing services and volumes and contains valid settings", () => {
  const compose = parse(readDeployFile("compose.yaml")) as {
    services: Record<string, { depends_on?: object; volumes?: string[]; environment?: Record<string, string> }>;
    volumes: object;
  };
  const { services } = compose;
  for (const { depends_on: dependencies = {}, volumes = [] } of Object.values(services)) {
    for (const name of Object.keys(dependencies)) assert.ok(services[name], name);
    for (const volume of volumes) assert.ok((volume.split(":")[0] ?? "") in compose.volumes, volume);
  }
  const variables: Record<string, string> = {
    ...secrets,
    BASE_URL: "https://atelier.example.com",
    SIGN_IN_ALLOW: "@example.com",
    OIDC_ISSUER: "https://accounts.google.com",
    OIDC_CLIENT_ID: "x",
    POSTGRES_PASSWORD: "x",
    S3_REGION: "eu-central-1",
    S3_BUCKET: "atelier",
  };
  const environment = Object.entries(services["atelier"]?.environment ?? {}).map(([name, value]): [string, string] => [
    name,
    value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, variable: string, operator: string, fallback: string) => {
      if (operator === "?") assert.ok(variables[variable], variable);
      return variables[variable] ?? fallback;
    }),
  ]);
  assertValidSettings({ ...readImageSettings(), ...Object.fromEntries(environment) });
});

/** Reads the settings in the ENV line of the Dockerfile. */
function readImageSettings(): Record<string, string> {
  const line = /^ENV (.*)$/m.exec(readDeployFile("Dockerfile"))?.[1] ?? "";
  const pairs = line.split(" ").map((pair) => pair.split("=") as [string, string]);
  return Object.fromEntries(pairs.filter(([name]) => !["NODE_ENV", "NODE_COMPILE_CACHE", "PATH"].includes(name)));
}

test("the image copies only paths that exist in the build context or that the build creates", () => {
  const dockerfile = readDeployFile("Dockerfile");
  const contextPaths = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  for (const path of contextPaths) assert.equal(globSync(path, { cwd: root }).length, 1, path);
  const copiedPaths = [...dockerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  );
  const builtPaths = ["node_modules", "web/dist"];
  for (const path of copiedPaths.map((copied) => copied.replace("/app/", "")))
    assert.ok(contextPaths.includes(path) || builtPaths.includes(path), path);
  assert.ok(
    contextPaths.includes("tsconfig.json") && contextPaths.includes(".npmrc"),
    "npm and the build of web/ read these files",
  );
});

const units = ["atelier.service", "atelier-backup.service", "atelier-backup.timer"];

test("the units start files that exist, with valid settings", () => {
  const lines = [...readDeployFile("atelier.env").matchAll(/^(\w+)=(.*)$/gm)];
  const env = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
  assertValidSettings({ ...env, SECRETS: secrets.SECRETS, OIDC_CLIENT_ID: "x", DATA_DIR: "/var/lib/atelier" });
  const paths = units.flatMap((unit) => [...readDeployFile(unit).matchAll(/node (src\/\S+)/g)]);
  assert.ok(paths.length > 0);
  for (const [, path = ""] of paths) assert.equal(globSync(path, { cwd: root }).length, 1, path);
});

test("systemd accepts the units", { skip: skipWithout("systemd-analyze") }, () => {
  const folder = createTempFolder();
  for (const unit of units) {
    // systemd checks that paths exist, and /opt/atelier does not exist on this machine.
    writeFileSync(
      join(folder.path, unit),
      readDeployFile(unit)
        .replaceAll("/opt/atelier/node_modules/.bin/node", process.execPath)
        .replaceAll("/opt/atelier/docs", folder.path),
    );
  }
  const paths = units.map((unit) => join(folder.path, unit));
  const output = execFileSync("systemd-analyze", ["verify", "--man=no", ...paths], { encoding: "utf8", stdio: "pipe" });
  assert.equal(output, "");
  folder.remove();
});
