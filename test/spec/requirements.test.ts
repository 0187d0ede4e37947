import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requirements } from "./requirements.ts";
import { threats } from "./threats.ts";

const testFolder = join(import.meta.dirname, "..");

/** Finds the ids in parentheses at the end of test titles: `"keeps at least one owner (ROLE-3, T5)"`. */
function findCitations(source: string): string[] {
  const id = String.raw`[A-Z]+(?:\d+[a-z]?|-[A-Za-z0-9_-]+)`;
  const lists = source.matchAll(new RegExp(String.raw`\((${id}(?:, ${id})*)\)["\x60]`, "g"));
  return [...lists].flatMap(([, ids = ""]) => ids.split(", "));
}

const allIds = new Set<string>([...Object.keys(requirements), ...Object.keys(threats)]);
const citations = globSync("{spec,integration,e2e,faults,reliability}/**/*.test.ts", { cwd: testFolder }).flatMap(
  (file) => findCitations(readFileSync(join(testFolder, file), "utf8")).map((id) => ({ file, id })),
);

const citedIds = new Set(citations.map(({ id }) => id));

test("every threat is cited by a test or covered in docs/threat-model.md", () => {
  const model = readFileSync(join(testFolder, "../docs/threat-model.md"), "utf8");
  const rows = [...model.matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*) \|/gm)];
  const documentedIds = new Set(rows.flatMap(([, ids = ""]) => ids.split(", ")));
  const isCovered = (id: string) => citedIds.has(id) || documentedIds.has(id);
  assert.deepEqual(
    Object.keys(threats).filter((id) => !isCovered(id)),
    [],
  );
  assert.deepEqual(
    [...documentedIds].filter((id) => threats[id] === undefined),
    [],
  );
});

test("every requirement is cited by a test", () => {
  assert.deepEqual(
    Object.keys(requirements).filter((id) => !citedIds.has(id)),
    [],
  );
});

test("every citation names a requirement or a threat that exists", () => {
  assert.deepEqual(
    citations.filter(({ id }) => !allIds.has(id)),
    [],
  );
});

test("finds citations only at the end of a title", () => {
  const [quote, tick] = ['"', String.fromCharCode(96)]; // not inline, or this file would cite these ids itself
  const source = `
    test(${quote}reads (AA-1, BB-2b)${quote}, () => {});
    test(${tick}\${x} (T0)${tick}, () => {});
    const list = (DD), text = ${quote}(EE-1) none${quote}, row = ${quote}lower (case)${quote};`;
  assert.deepEqual(findCitations(source), ["AA-1", "BB-2b", "T0"]);
});
