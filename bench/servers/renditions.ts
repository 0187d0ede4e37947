import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import type { ExecutablePlan } from "#domain/ports/media.ts";
import { createImageRequest } from "../../test/support/image-request.ts";
import { newStudio } from "../../test/support/users.ts";
import { openDeps, serve } from "./setup.ts";

/** A server that returns a post and, when its parent process sends a message, converts photos at the same time. */
const { deps } = await openDeps();
const owner = await newStudio(deps);
const { id: postId } = await createPost(deps, owner, { title: "A post", body: "Some words. ".repeat(50) });

/** Converts each photo once and sends how long all of them took. */
async function convert({ paths, plan }: { paths: string[]; plan: ExecutablePlan }): Promise<void> {
  const photos = paths.map((path) => readFileSync(path));
  const startedAt = performance.now();
  const results = await Promise.all(
    photos.map((photo) => {
      const request = { ...createImageRequest(randomUUID()), isUrgent: true };
      return deps.media.createRendition(request, createBufferSource(photo), plan);
    }),
  );
  if (!results.every((result) => result && "content" in result)) throw new Error("a photo was not converted");
  process.send?.({ ms: performance.now() - startedAt });
}

process.on("message", (message) => {
  if (typeof message === "object" && message !== null && "paths" in message)
    void convert(message as { paths: string[]; plan: ExecutablePlan });
});

serve((req, res) => {
  req.resume();
  void getPost(deps, owner, { postId }).then((post) => {
    const body = JSON.stringify(post);
    res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
  });
});
