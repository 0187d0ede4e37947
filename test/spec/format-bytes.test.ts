import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatByteLimit, formatBytes, formatExcess } from "#lib/format-bytes.ts";
import { createFormatter } from "../../web/src/upload/format.ts";

const sizes: readonly (readonly [bytes: number, nearest: string, roundedDown: string])[] = [
  [0, "0 bytes", "0 bytes"],
  [1, "1 byte", "1 byte"],
  [999, "999 bytes", "999 bytes"],
  [1000, "1 kB", "1 kB"],
  [1310, "1.3 kB", "1.3 kB"],
  [1_310_000, "1.3 MB", "1.3 MB"],
  [1_350_000, "1.4 MB", "1.3 MB"],
  [5_242_880, "5.2 MB", "5.2 MB"],
  [5_290_000, "5.3 MB", "5.2 MB"],
  [99_960_000, "100 MB", "99.9 MB"],
  [999_600, "1 MB", "999 kB"],
  [999_999_999, "1 GB", "999 MB"],
  [4 * 1024 ** 3, "4.3 GB", "4.2 GB"],
  [2.5e15, "2,500 TB", "2,500 TB"],
];

describe("durations", () => {
  for (const [seconds, expected] of [
    [0.2, "1 sec"],
    [59.2, "1 min"],
    [3540, "59 min"],
    [3590, "1 hr"],
    [3700, "1 hr 2 min"],
    [7190, "2 hr"],
  ] as const)
    test(`formats ${seconds} seconds as ${expected} in the web app`, () =>
      assert.equal(createFormatter("en").duration(seconds).replaceAll("\u00a0", " "), expected));
});

describe("sizes", () => {
  for (const [bytes, nearest, roundedDown] of sizes) {
    test(`formats ${bytes} bytes as ${nearest} on the server and in the web app`, () => {
      assert.equal(formatBytes(bytes), nearest);
      assert.equal(createFormatter("en").bytes(bytes).replace("\u00a0", " "), nearest);
    });
    test(`formats a limit of ${bytes} bytes as ${roundedDown}`, () =>
      assert.equal(formatByteLimit(bytes), roundedDown));
  }

  test("formats a size and the limit that it exceeds as different texts", () => {
    assert.deepEqual(formatExcess(5_300_000, 5_242_880), { size: "5.3 MB", limit: "5.2 MB" });
    assert.deepEqual(formatExcess(5_242_881, 5_242_880), { size: "5.243 MB", limit: "5.242 MB" });
    assert.deepEqual(formatExcess(4_294_967_297, 4_294_967_296), { size: "4.3 GB", limit: "4.2 GB" });
  });
});
