import assert from "node:assert/strict";
import { fc } from "../support/fuzz.ts";
import { test } from "node:test";
import { createIdGenerator, idPrefixes, isId, type IdKind } from "#lib/ids.ts";
import { createTestClock } from "../support/clock.ts";

const kinds = Object.keys(idPrefixes) as IdKind[];

test("each kind of id has a unique prefix and is not valid as another kind (WORD-7)", () => {
  assert.deepEqual(idPrefixes, {
    ...idPrefixes,
    user: "usr",
    studio: "std",
    post: "pst",
    asset: "ast",
    grant: "con",
  });
  assert.equal(new Set(Object.values(idPrefixes)).size, kinds.length);
  const newId = createIdGenerator(createTestClock());
  for (const kind of kinds) {
    const id = newId(kind);
    for (const other of kinds) assert.equal(isId(other, id), other === kind, `${id} as ${other}`);
  }
});

test("ids sort in creation order, even when the clock jumps back (WORD-7)", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 2, maxLength: 60 }), (steps) => {
      const clock = createTestClock();
      const newId = createIdGenerator(clock);
      const ids = steps.map((step) => {
        clock.advance(step);
        return newId("post");
      });
      assert.deepEqual(ids, ids.toSorted());
      assert.equal(new Set(ids).size, ids.length);
    }),
  );
});

test("100,000 ids generated in one millisecond are unique and in order (WORD-7)", () => {
  const newId = createIdGenerator(createTestClock());
  const ids = Array.from({ length: 100_000 }, () => newId("post"));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
});

test("two ids in one millisecond do not overflow the random part (WORD-7)", () => {
  const maxRandomBytes = () => new Uint8Array(16).fill(255);
  const newId = createIdGenerator(createTestClock(), maxRandomBytes);
  const [first, second] = [newId("post"), newId("post")];
  assert.equal(first.slice(0, 14), second.slice(0, 14), "same time");
  assert.ok(first < second);
});

test("ids sort by millisecond over the whole range of times (WORD-7)", () => {
  const idAt = (ms: number) =>
    createIdGenerator(
      () => ms,
      () => new Uint8Array(16),
    )("post");
  const times = [1, 31, 32, 1023, 1024, 2 ** 31, 2 ** 32, Date.UTC(2026, 0, 1), Date.UTC(2999, 0, 1), 2 ** 48 - 1];
  const ids = times.map(idAt);
  assert.deepEqual(ids, ids.toSorted());
  for (const id of ids) assert.ok(isId("post", id), id);
});

test("processes that start in the same millisecond generate different ids (WORD-7)", () => {
  const clock = createTestClock();
  const ids = Array.from({ length: 1000 }, () => createIdGenerator(clock)("post"));
  assert.equal(new Set(ids).size, ids.length);
});

test("rejects malformed ids (WORD-7)", () => {
  const validId = createIdGenerator(createTestClock())("post");
  const malformedIds = [
    ...["", "pst", "pst_", validId.toUpperCase(), ` ${validId}`, `${validId}\n`, `${validId}0`, validId.slice(0, -1)],
    ...[
      `${validId.slice(0, -1)}i`,
      `${validId.slice(0, -1)}\0`,
      `${validId.slice(0, -1)}\ud800`,
      validId.replace("_", "-"),
    ],
    ...["__proto__", "constructor", `pst_${"0".repeat(10_000)}`, `${validId}%`, `${validId.slice(0, -1)}％`],
  ];
  for (const value of malformedIds) assert.equal(isId("post", value), false, JSON.stringify(value.slice(0, 60)));
  assert.ok(isId("post", validId));
});
