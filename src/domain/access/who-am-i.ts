import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { assetKinds, inlineLimitBytes } from "../model/asset-kinds.ts";
import { maxPixels } from "../steps/content/image-header.ts";
import { uploadUrlLifetime } from "../model/storage-keys.ts";
import { scopes, type Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize, roles } from "../policy.ts";

export const whoAmIInput = z.strictObject({});

const kindView = z.object({
  mimeTypes: z.array(z.string()),
  maxBytes: z.number().int().describe("Size limit for presigned uploads and imports."),
});

export const whoAmIOutput = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string().nullable() }),
  studio: z.object({ id: z.string(), name: z.string() }).describe("Every call acts on this studio."),
  role: z.enum(roles),
  scopes: z.array(z.enum(scopes)),
  client: z.object({ id: z.string(), name: z.string() }).nullable(),
  limits: z.object({
    maxAssetsPerPost: z.number().int(),
    inlineBytes: z.number().int().describe("A file sent inline must be smaller than this."),
    uploadMinutes: z.number().int().describe("How long an upload URL is valid."),
    maxPixels: z.number().int().describe("Maximum pixels of an image."),
    studioBytes: z.number().int().nullable().describe("Quota for all files of the studio; null: no limit."),
    kinds: z.object({ image: kindView, video: kindView, document: kindView }),
  }),
});

/** Returns the caller's user, studio, role and scopes, and the server's limits. */
export async function whoAmI(deps: Pick<Deps, "limits">, caller: Caller): Promise<z.infer<typeof whoAmIOutput>> {
  authorize(caller, "studio.read");
  const describeKind = (name: keyof typeof assetKinds) => ({
    mimeTypes: [...assetKinds[name]],
    maxBytes: deps.limits[name],
  });
  return {
    user: { id: caller.user.id, name: caller.user.name, email: caller.user.email },
    studio: { id: caller.studio.id, name: caller.studio.name },
    role: caller.role,
    scopes: [...caller.scopes],
    client: caller.client ? { id: caller.client.id, name: caller.client.name } : null,
    limits: {
      maxAssetsPerPost: deps.limits.assetsPerPost,
      inlineBytes: inlineLimitBytes,
      uploadMinutes: uploadUrlLifetime / minutes(1),
      maxPixels,
      studioBytes: deps.limits.studioBytes ?? null,
      kinds: { image: describeKind("image"), video: describeKind("video"), document: describeKind("document") },
    },
  };
}
