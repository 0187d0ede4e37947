import assert from "node:assert/strict";
import { test } from "node:test";
import { balanceColumns } from "../../web/src/layout/balance-columns.ts";

const toGroup = (heading: string, size: number) => [heading, Array.from({ length: size }, () => heading)] as const;
const listHeadings = (...groups: ReturnType<typeof toGroup>[]) =>
  balanceColumns(groups).map((column) => column.map(([heading]) => heading));

test("the help sheet splits its groups into columns of similar height, General first (WEB-12)", () => {
  const general = toGroup("General", 4);
  const goTo = toGroup("Go to", 9);
  assert.deepEqual(listHeadings(general, goTo, toGroup("Posts", 7)), [["General", "Posts"], ["Go to"]]);
  assert.deepEqual(listHeadings(general, goTo), [["General"], ["Go to"]]);
  assert.deepEqual(listHeadings(general), [["General"], []]);
});
