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

test("an upload that the server knows is one tile with its file, at the file's position", () => {
  const assets = [asset("a"), asset("b", "pending"), asset("c")];
  assert.deepEqual(arrange(assets, [upload("1", "sending", "b"), upload("2", "waiting")]), [
    [],
    ["a", "b 1", "c"],
    ["2"],
  ]);
});

test("uploads that need the user come first, without their file", () => {
  const assets = [asset("a"), asset("b", "pending")];
  assert.deepEqual(arrange(assets, [upload("1", "failed", "b"), upload("2", "missing"), upload("3", "failed")]), [
    ["1", "2", "3"],
    ["a"],
    [],
  ]);
});

test("a finished upload is shown until its file is on the post, and then not again", () => {
  assert.deepEqual(arrange([], [upload("1", "done", "a")]), [[], [], ["1"]]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "done", "a")]), [[], ["a"], []]);
  assert.deepEqual(arrange([asset("a")], [upload("1", "failed", "a")]), [[], ["a"], []]);
});

test("an upload of another page keeps its position, without progress", () => {
  assert.deepEqual(arrange([asset("a", "pending"), asset("b")], []), [[], ["a", "b"], []]);
});
