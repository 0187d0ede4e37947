import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStrictly } from "../support/strict-json.ts";

test("the strict parser rejects duplicate keys, even if escaped, and accepts other JSON", () => {
  for (const text of ['{"a":1,"a":2}', '{"a":1,"\\u0061":1}', '[{"b":{"x":[],"x":1}}]', '{ "a" : {} , "a" : [1,2] }'])
    assert.throws(() => parseStrictly(text), SyntaxError, text);
  const value = { a: 'x":"a', b: [{ a: 1 }, { a: -1.5e3 }, [], {}, null, true], "}": "\\", c: { a: { a: "," } } };
  assert.deepEqual(parseStrictly(JSON.stringify(value, null, 1)), value);
});
