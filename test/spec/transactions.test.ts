import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");

/** What changes data without a caller, and why it needs none. A new job fails the test until it is listed here. */
const jobs: Record<string, string> = {
  assertion: "accepts an assertion of a company's issuer for the user whom it names",
  "count received bytes": "corrects the charge of an upload to what has arrived",
  "fan out": "passes committed activity to the readers of events",
  "index existing rows": "fills the search index",
  publish: "checks at the start of each run that the approver, or the requester, may still publish",
  "purge studio": "deletes the content of a studio that its owner deleted",
  "read choices": "stores what an account offers for a time",
  "remove assets": "deletes uploads that expired, or whose link ended",
  "renew credentials": "stores what a platform returned for an existing connection",
  restore: "corrects records after the operator restored a backup",
  results: "stores what a platform says about a published post",
  "send mails": "stores how sending an email went",
  "send webhooks": "stores how sending a committed event went",
  "sweep assets": "deletes files that no record uses",
  "sweep trash": "deletes what has been in the trash for 30 days",
  unsubscribe: "ends emails with a signed link, whose holder need not sign in",
};

/** Values that `checkAuthority` reads again in the transaction. */
const authorities = ["caller", "editor", "operator", "authority", "guest.caller"];

test("every transaction names a caller, the operator or a listed job as its authority (F1, F2)", () => {
  const foundJobs = new Set<string>();
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    if (file.startsWith(join("src", "db"))) continue;
    const source = readFileSync(join(root, file), "utf8");
    for (const [, argument = ""] of source.matchAll(/\btransact\(\s*(\{[^}]*\}|[^,]*),/g)) {
      const job = /^\{ job: "([^"]+)" \}$/.exec(argument)?.[1];
      if (job === undefined) assert.ok(authorities.includes(argument), `${file}: transact(${argument}, …)`);
      else foundJobs.add(job);
    }
  }
  assert.deepEqual([...foundJobs].toSorted(), Object.keys(jobs).toSorted());
});

/** The stores of the database, as `Stores` lists them. */
const storeNames = [
  ...readFileSync(join(root, "src/domain/ports/deps.ts"), "utf8")
    .replace(/^.*export interface Stores \{|\n\}.*$/gs, "")
    .matchAll(/^ {2}(\w+):/gm),
].map(([, name = ""]) => name);

test("work in a transaction reads through the transaction, not through deps (F1)", () => {
  assert.ok(storeNames.includes("posts") && !storeNames.includes("clock"), "the stores are found");
  const readsOfDeps = new RegExp(`\\bdeps\\.(${storeNames.join("|")})\\b`);
  for (const file of globSync("src/domain/**/*.ts", { cwd: root })) {
    const source = readFileSync(join(root, file), "utf8");
    for (const { index } of source.matchAll(/\btransact\(/g)) {
      const call = readCall(source.slice(index));
      assert.doesNotMatch(call, readsOfDeps, `${file}: ${call}`);
    }
  }
});

/** The source of a call, up to its closing parenthesis. */
function readCall(source: string): string {
  let depth = 0;
  for (const { 0: parenthesis, index } of source.matchAll(/[()]/g)) {
    depth += parenthesis === "(" ? 1 : -1;
    if (depth === 0) return source.slice(0, index + 1);
  }
  throw new Error("a call without an end");
}
