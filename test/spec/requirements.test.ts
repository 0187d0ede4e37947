import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requirements } from "./requirements.ts";
import { threats } from "./threats.ts";

const tests = join(import.meta.dirname, "..");

/** Ids stand in parentheses at the end of a test's title: `"keeps two owners … (ROLE-3, T5)"`. */
function findCitations(source: string): string[] {
  const id = String.raw`[A-Z]+(?:\d+[a-z]?|-[A-Za-z0-9_-]+)`;
  const lists = source.matchAll(new RegExp(String.raw`\((${id}(?:, ${id})*)\)["\x60]`, "g"));
  return [...lists].flatMap(([, ids = ""]) => ids.split(", "));
}

const known = new Set<string>([...Object.keys(requirements), ...Object.keys(threats)]);
const citations = globSync("**/*.test.ts", { cwd: tests }).flatMap((file) =>
  findCitations(readFileSync(join(tests, file), "utf8")).map((id) => ({ file, id })),
);

const cited = new Set(citations.map(({ id }) => id));

test("every threat is cited by a test, or answered in docs/threat-model.md", () => {
  const model = readFileSync(join(tests, "../docs/threat-model.md"), "utf8");
  const answered = new Set([...model.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = ""]) => id));
  const held = (id: string) => cited.has(id) || answered.has(id);
  assert.deepEqual(
    Object.keys(threats).filter((id) => !held(id)),
    [],
  );
  assert.deepEqual(
    [...answered].filter((id) => threats[id] === undefined),
    [],
  );
});

test("every requirement is cited by a test", () => {
  assert.deepEqual(
    Object.keys(requirements).filter((id) => !cited.has(id)),
    [],
  );
});

test("every citation names a requirement or a threat that exists", () => {
  assert.deepEqual(
    citations.filter(({ id }) => !known.has(id)),
    [],
  );
});

test("finds citations at the end of a title only", () => {
  const [quote, tick] = ['"', String.fromCharCode(96)]; // not inline, or this file would cite these ids itself
  const source = `
    test(${quote}reads (AA-1, BB-2b)${quote}, () => {});
    test(${tick}\${x} (T0)${tick}, () => {});
    const list = (DD), text = ${quote}(EE-1) none${quote}, row = ${quote}lower (case)${quote};`;
  assert.deepEqual(findCitations(source), ["AA-1", "BB-2b", "T0"]);
});
