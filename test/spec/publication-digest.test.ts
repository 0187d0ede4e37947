import assert from "node:assert/strict";
import { test } from "node:test";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { catalog } from "#connectors/catalog.ts";
import { createSandboxSetup } from "#dev/sandbox-setup.ts";
import { type ContentAsset, digestContent } from "#domain/model/publication-content.ts";
import { listOptionValues } from "../support/option-values.ts";

const file: Omit<ContentAsset, "digest"> = {
  id: "ast_1",
  kind: "image",
  mimeType: "image/png",
  filename: "vase.png",
  bytes: 5,
  storageKey: "files/ast_1.0a",
  altText: "A vase",
};
const digestFile = (asset: ContentAsset): string => digestContent({ title: null, text: "Body", assets: [asset] });
const [sha256, etag] = ["e".repeat(64), "d".repeat(32)];

test("approvals of files with a SHA-256 digest keep the digest of earlier versions (PUB-4, RUN-7)", () => {
  assert.equal(
    digestFile({ ...file, digest: sha256 }),
    "d48c4d919d7ac412e52270b4ae2fc77fef7fdc58c6bb29a1e8852f9beb5c131c",
  );
});

test("a file without a SHA-256 digest is identified by its key, after the hash that earlier versions compare (PUB-4, F3)", () => {
  const hash = "4db371627cb7c411febf3cc92db071df71f638dda8f6261c6df80039a3df2180";
  assert.equal(digestFile({ ...file, digest: "files/ast_1.0a", version: etag }), `${hash} files/ast_1.0a`);
  assert.equal(digestFile({ ...file, digest: "files/ast_2.0b", version: etag }), `${hash} files/ast_2.0b`);
});

test("content without options and follow-ups keeps its digest, and every value of every option has another one (PUB-4, OPTION-1)", () => {
  const content = { title: "Title", text: "Body", assets: [] };
  assert.equal(digestContent(content), "1c54afc4b2709c2f448491e6c445c0d3d95a6cf69558e48fec930d39bb826085");
  const sandbox = createSandboxSetup({
    origin: "http://localhost",
    app: { clientId: "a", clientSecret: "b" },
  }).platform;
  for (const { id, options = [] } of [...catalog, bluesky, sandbox]) {
    const digests = options.flatMap((option) =>
      listOptionValues(option).map((value) => digestContent({ ...content, options: { [option.name]: value } })),
    );
    assert.equal(new Set([...digests, digestContent(content)]).size, digests.length + 1, id);
  }
  const threads = [["a"], ["b"], ["a", "b"], ["ab"]].map((followUps) => digestContent({ ...content, followUps }));
  assert.equal(new Set([...threads, digestContent(content)]).size, 5);
});
