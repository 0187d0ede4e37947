import { AppError } from "#lib/errors.ts";
import { openLocalDiskStore } from "../local-disk-store.ts";
import { toChunks } from "../stores.ts";

/** Child process: stores a file in one part, tries again once if that fails, and prints each outcome. */

const [, , root = "", megabytes = ""] = process.argv;
const { parts } = await openLocalDiskStore(root);
const content = Buffer.alloc(Number(megabytes) * 1024 ** 2, "content of the part ");
const size = { bytes: content.length, partBytes: content.length };
const id = await parts.start("files/a", { ...size, mimeType: "image/png" });
const file = { key: "files/a", id, ...size };
for (let attempt = 0; attempt < 2; attempt++) {
  const outcome = await parts.receive(file, 1, toChunks(content), content.length).then(
    () => "stored",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
  console.log(outcome);
  if (outcome === "stored") break;
}
console.log((await parts.complete(file))?.sha256 ?? "incomplete");
