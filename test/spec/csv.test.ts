import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCsv } from "#portable/csv.ts";
import { fc } from "../support/fuzz.ts";

test("no cell can be a formula, and separators, quotes and line breaks are quoted (RES-7)", () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]) {
    const [cell = ""] = parse(formatCsv([[`${start}HYPERLINK("x")`]]))[0] ?? [];
    assert.equal(cell, `'${start}HYPERLINK("x")`);
  }
  assert.equal(
    formatCsv([["a,b", 'say "hi"', "two\nlines", null, -1, "plain"]]),
    '\uFEFF"a,b","say ""hi""","two\nlines",,-1,plain\r\n',
  );
});

test("any text is read as it was written, apart from the mark against formulas (RES-7)", () => {
  const texts = fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(texts, (rows) => {
      const cells = parse(formatCsv(rows)).flat();
      assert.deepEqual(
        cells.map((cell) => cell.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, "")),
        rows.flat(),
      );
      for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
    }),
  );
});

/** RFC 4180 §2. */
function parse(csv: string): string[][] {
  const rows: string[][] = [[]];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  const text = csv.replace(/^\uFEFF/, "");
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}
