import assert from "node:assert/strict";
import { fc } from "../support/fuzz.ts";
import { test } from "node:test";
import { createIdGenerator, idPrefixes, isId, type IdKind } from "#lib/ids.ts";
import { createTestClock } from "../support/clock.ts";

const kinds = Object.keys(idPrefixes) as IdKind[];

test("every kind has its own prefix, and an id of one kind is no id of another (WORD-7)", () => {
  assert.deepEqual(idPrefixes, {
    ...idPrefixes,
    user: "usr",
    studio: "std",
    post: "pst",
    asset: "ast",
    connection: "con",
  });
  assert.equal(new Set(Object.values(idPrefixes)).size, kinds.length);
  const newId = createIdGenerator(createTestClock());
  for (const kind of kinds) {
    const made = newId(kind);
    for (const other of kinds) assert.equal(isId(other, made), other === kind, `${made} as ${other}`);
  }
});

test("ids made later sort later, whatever the clock does in between (WORD-7)", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 2, maxLength: 60 }), (steps) => {
      const clock = createTestClock();
      const newId = createIdGenerator(clock);
      const made = steps.map((step) => {
        clock.advance(step);
        return newId("post");
      });
      assert.deepEqual(made, made.toSorted());
      assert.equal(new Set(made).size, made.length);
    }),
  );
});

test("a hundred thousand ids of one millisecond are in order and different (WORD-7)", () => {
  const newId = createIdGenerator(createTestClock());
  const made = Array.from({ length: 100_000 }, () => newId("post"));
  assert.deepEqual(made, made.toSorted());
  assert.equal(new Set(made).size, made.length);
});

test("counting up within a millisecond carries over, and never out of the random part (WORD-7)", () => {
  const highest = () => new Uint8Array(16).fill(255);
  const newId = createIdGenerator(createTestClock(), highest);
  const [first, second] = [newId("post"), newId("post")];
  assert.equal(first.slice(0, 14), second.slice(0, 14), "same time");
  assert.ok(first < second);
});

test("the time part is the order of milliseconds over the whole range (WORD-7)", () => {
  const at = (ms: number) =>
    createIdGenerator(
      () => ms,
      () => new Uint8Array(16),
    )("post");
  const times = [1, 31, 32, 1023, 1024, 2 ** 31, 2 ** 32, Date.UTC(2026, 0, 1), Date.UTC(2999, 0, 1), 2 ** 48 - 1];
  const made = times.map(at);
  assert.deepEqual(made, made.toSorted());
  for (const id of made) assert.ok(isId("post", id), id);
});

test("two processes that start in the same millisecond make different ids (WORD-7)", () => {
  const clock = createTestClock();
  const made = Array.from({ length: 1000 }, () => createIdGenerator(clock)("post"));
  assert.equal(new Set(made).size, made.length);
});

test("what does not have the form of an id is none (WORD-7)", () => {
  const good = createIdGenerator(createTestClock())("post");
  const bad = [
    ...["", "pst", "pst_", good.toUpperCase(), ` ${good}`, `${good}\n`, `${good}0`, good.slice(0, -1)],
    ...[`${good.slice(0, -1)}i`, `${good.slice(0, -1)}\0`, `${good.slice(0, -1)}\ud800`, good.replace("_", "-")],
    ...["__proto__", "constructor", `pst_${"0".repeat(10_000)}`, `${good}%`, `${good.slice(0, -1)}％`],
  ];
  for (const value of bad) assert.equal(isId("post", value), false, JSON.stringify(value.slice(0, 60)));
  assert.ok(isId("post", good));
});
