import { createBufferSource } from "#domain/ports/byte-source.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { createSlowWebp } from "../animations.ts";
import { createImageRequest } from "../image-request.ts";

/** Child process: opens an image for longer than any test takes. */

const converter = createImageConverter({ maxCpuMs: 600_000, timeoutMs: 600_000 });
await converter.inspectImage(createImageRequest("slow"), createBufferSource(await createSlowWebp()));
