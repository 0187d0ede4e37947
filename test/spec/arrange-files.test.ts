import assert from "node:assert/strict";
import { test } from "node:test";
import { arrangeFiles } from "../../web/src/media/arrange-files.ts";

const asset = (id: string, status: "pending" | "ready" = "ready") => ({ id, status });
const upload = (key: string, status: string, id?: string) => ({ key, status, id });

const arrange = (assets: ReturnType<typeof asset>[], uploads: ReturnType<typeof upload>[]) => {
  const { failedUploads, files, newUploads } = arrangeFiles(assets, uploads);
  return [
    failedUploads.map(({ key }) => key),
    files.map((file) => `${file.asset.id} ${file.upload?.key ?? ""}`.trim()),
    newUploads.map(({ key }) => key),
  ];
};

test("shows an upload and its asset as one tile, at the position of the asset", () => {
  const assets = [asset("a"), asset("b", "pending"), asset("c")];
  assert.deepEqual(arrange(assets, [upload("1", "sending", "b"), upload("2", "waiting")]), [
    [],
    ["a", "b 1", "c"],
    ["2"],
  ]);
});

test("lists failed and missing uploads first, and hides their pending assets", () => {
  const assets = [asset("a"), asset("b", "pending")];
  assert.deepEqual(arrange(assets, [upload("1", "failed", "b"), upload("2", "missing"), upload("3", "failed")]), [
    ["1", "2", "3"],
    ["a"],
    [],
  ]);
});

test("shows an upload that has ended only until its asset is ready on the post", () => {
  assert.deepEqual(arrange([], [upload("1", "done", "a")]), [[], [], ["1"]]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "done", "a")]), [[], ["a"], []]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "failed", "a")]), [[], ["a"], []]);
});

test("shows an asset that another page uploads at its position, without progress", () => {
  assert.deepEqual(arrange([asset("a", "pending"), asset("b")], []), [[], ["a", "b"], []]);
});
