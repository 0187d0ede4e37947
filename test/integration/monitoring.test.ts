import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parse } from "yaml";
import { findProgram, skipWithout } from "../support/find-program.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { startPrometheus } from "../support/prometheus.ts";
import { listSelectors, parseMetrics, type Series } from "../support/promql.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait-until.ts";

/** Checks the files for Prometheus and Grafana in deploy/ against the metrics of a running service. */

const deployFolder = join(import.meta.dirname, "../../deploy");
const readDeployFile = (file: string): string => readFileSync(join(deployFolder, file), "utf8");
const promtool = findProgram("promtool");
const prometheusProgram = findProgram("prometheus");
const skip = skipWithout("promtool", "prometheus");
const runPromtool = (...args: string[]): string =>
  execFileSync(promtool ?? "", args, { cwd: deployFolder, encoding: "utf8", stdio: "pipe" });

interface Rule {
  alert: string;
  expr: string;
}

interface Dashboard {
  panels: { title: string; gridPos: { x: number; y: number; w: number; h: number }; targets?: { expr: string }[] }[];
  templating: { list: { definition?: string }[] };
  annotations: { list: { expr: string }[] };
}

interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

const rules = (parse(readDeployFile("prometheus-alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readDeployFile("grafana-dashboard.json")) as Dashboard;

/** Replaces the variables that Grafana replaces. */
const replaceVariables = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "1m").replaceAll("$job", "atelier").replaceAll("$instance", ".*");
const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: replaceVariables(expr) })),
);
const variableQueries = dashboard.templating.list.flatMap(({ definition }) =>
  definition === undefined ? [] : [replaceVariables(/^label_values\((.*), \w+\)$/.exec(definition)?.[1] ?? "")],
);
const dashboardExpressions = [
  ...panelQueries.map(({ expr }) => expr),
  ...variableQueries,
  ...dashboard.annotations.list.map(({ expr }) => replaceVariables(expr)),
];

describe("alert rules", { skip }, () => {
  test("promtool accepts the rules, and their unit tests pass", () => {
    assert.match(runPromtool("check", "rules", "prometheus-alerts.yaml"), new RegExp(`${rules.length} rules found`));
    runPromtool("test", "rules", "prometheus-alerts.test.yaml"); // throws if a test fails
  });

  test("every rule has a unit test in which it fires and one in which it does not", () => {
    const { tests } = parse(readDeployFile("prometheus-alerts.test.yaml")) as { tests: RuleTest[] };
    for (const { alert } of rules) {
      const alertTests = tests.map((ruleTest) => ruleTest.alert_rule_test.filter((c) => c.alertname === alert));
      const alertCounts = alertTests
        .filter((cases) => cases.length > 0)
        .map((cases) => cases.at(-1)?.exp_alerts.length);
      assert.deepEqual(alertCounts, [1, 0], alert);
    }
  });

  test("docs/deploy.md explains every alert", () => {
    const guide = readFileSync(join(deployFolder, "../docs/deploy.md"), "utf8");
    assert.deepEqual(
      rules.map(({ alert }) => alert).filter((alert) => !guide.includes(`| \`${alert}\` |`)),
      [],
    );
  });
});

describe("metrics of a running service", { skip }, () => {
  const folder = createTempFolder();
  const token = "a metrics token of the test";
  let base: string;
  let service: MainProcess;
  let series: Series[];

  before(async () => {
    base = await findFreeBaseUrl();
    service = await startMain({
      PORT: new URL(base).port,
      BASE_URL: base,
      DATA_DIR: join(folder.path, "data"),
      METRICS_TOKEN: token,
    });
    await requestEveryRoute();
    const response = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    series = parseMetrics(await response.text());
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  const requestEveryRoute = async (): Promise<void> => {
    for (const path of ["/readyz", "/healthz", "/metrics", "/api/me"]) await fetch(`${base}${path}`);
    await fetch(`${base}/mcp`, { method: "POST" });
  };

  test("the service exposes every metric, label and route that the rules and the dashboard use", () => {
    const prometheusMetrics = new Set(["up", "ALERTS"]);
    const expressions = [...rules.map(({ expr }) => expr), ...dashboardExpressions];
    const selectors = expressions.flatMap(listSelectors).filter(({ metric }) => !prometheusMetrics.has(metric));
    assert.ok(selectors.length > expressions.length / 2);
    for (const { metric, matchers } of selectors) {
      const matchingSeries = series.filter((candidate) => candidate.metric === metric);
      assert.ok(matchingSeries.length > 0, metric);
      // Prometheus adds `job` and `instance`. Values of `status` depend on requests, so only their format is checked.
      for (const { label, operator, value } of matchers.filter((m) => !["job", "instance"].includes(m.label))) {
        assert.ok(
          matchingSeries.some(({ labels }) => label in labels),
          `${metric}: ${label}`,
        );
        const values = operator.endsWith("~") ? value.split("|") : [value];
        if (label === "status") assert.match(value, /^([45]\d\d|5\.\.)(\|\d{3})*$/);
        else
          for (const expected of values)
            assert.ok(
              matchingSeries.some(({ labels }) => labels[label] === expected),
              `${metric}: ${label}="${expected}"`,
            );
      }
      assert.ok(
        matchers.some(({ label, value }) => label === "job" && value === "atelier") || variableQueries.includes(metric),
        `${metric}: other jobs of the same Prometheus expose metrics with this name`,
      );
    }
  });

  test("Prometheus scrapes the service, evaluates every rule, and has data for every panel", async () => {
    cpSync(join(deployFolder, "prometheus-alerts.yaml"), join(folder.path, "prometheus-alerts.yaml"));
    writeFileSync(join(folder.path, "token"), token);
    const configFile = join(folder.path, "prometheus.yaml");
    writeFileSync(
      configFile,
      readDeployFile("prometheus.yaml")
        .replaceAll("15s", "1s")
        .replace("/etc/prometheus/atelier-metrics-token", join(folder.path, "token"))
        .replace("127.0.0.1:3000", new URL(base).host),
    );
    runPromtool("check", "config", configFile);
    const prometheus = await startPrometheus(prometheusProgram ?? "", configFile);
    try {
      // A rate needs two scrapes of a series.
      await waitUntil(async () => {
        await requestEveryRoute();
        return (
          (await prometheus.query('rate(atelier_http_request_duration_seconds_count{route="/mcp"}[1m])')).length > 0
        );
      });
      const listEmptyPanels = async (): Promise<string[]> => {
        const titles: string[] = [];
        for (const { title, expr } of panelQueries) if ((await prometheus.query(expr)).length === 0) titles.push(title);
        return titles;
      };
      const errorPanels = ["Rate-limited requests", "Requests that fail with 500 or 503", "Readiness checks that fail"];
      // A scrape that takes longer than a second leaves a gap.
      await waitUntil(async () => (await listEmptyPanels()).join() === errorPanels.join(), {
        description: "only panels about errors have no data",
      });
      for (const expression of dashboardExpressions) await prometheus.query(expression); // throws if it is invalid

      const getRules = async () => new Map((await prometheus.listRules()).map((rule) => [rule.name, rule]));
      assert.deepEqual(
        [...(await getRules()).keys()],
        rules.map(({ alert }) => alert),
      );
      // On a busy machine, a slow request or scrape makes an alert pending for some seconds.
      await waitUntil(
        async () => {
          await requestEveryRoute();
          return [...(await getRules()).values()].every(({ health, state }) => health === "ok" && state === "inactive");
        },
        { timeoutMs: 60_000, description: "every rule is evaluated, and no alert is pending" },
      );
      await service.kill();
      await waitUntil(async () => {
        const states = await getRules();
        return ["AtelierDown", "AtelierProcessDown"].every((name) => states.get(name)?.state === "pending");
      });
    } finally {
      await prometheus.stop();
    }
  });
});

test("the panels of the dashboard do not overlap", () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
  assert.ok(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24));
});
