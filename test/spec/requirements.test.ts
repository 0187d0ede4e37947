import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requirements } from "./requirements.ts";
import { threats } from "./threats.ts";

const tests = join(import.meta.dirname, "..");

/** Ids stand in brackets at the start of a test's name: `"[ROLE-3] [T5] two owners …"`. */
function citationsIn(source: string): string[] {
  const names = source.matchAll(/["`]((?:\[[A-Z][A-Za-z0-9_-]*\] ?)+)/g);
  return [...names].flatMap(([, ids]) => [...(ids ?? "").matchAll(/\[([^\]]+)\]/g)].map(([, id]) => id ?? ""));
}

const known = new Set<string>([...Object.keys(requirements), ...Object.keys(threats)]);
const citations = globSync("**/*.test.ts", { cwd: tests }).flatMap((file) =>
  citationsIn(readFileSync(join(tests, file), "utf8")).map((id) => ({ file, id })),
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

test("citations are found, and only where a name begins with them", () => {
  const [quote, tick] = ['"', String.fromCharCode(96)]; // apart from the ids, or this file would cite them itself
  const source = `
    test(${quote}[AA-1] [BB-2b] reads${quote}, () => {});
    test(${tick}[T0] \${x}${tick}, () => {});
    const list = [DD], text = ${quote}none [EE-1]${quote}, row = ${quote}[lower] case${quote};`;
  assert.deepEqual(citationsIn(source), ["AA-1", "BB-2b", "T0"]);
});
