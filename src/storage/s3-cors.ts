import { GetBucketCorsCommand, PutBucketCorsCommand, type CORSRule } from "@aws-sdk/client-s3";
import { undefinedIfMissing } from "./s3-client.ts";
import type { S3Target } from "./s3-write.ts";

/**
 * Browsers send parts straight to the bucket, which must allow that to the pages that do. Where it does not, the rule
 * is added to those that are there; it lets nobody in, since every address is signed. Answers whether it had to.
 */
export async function allowCorsOrigins(
  { client, bucket, call }: S3Target,
  origins: readonly string[],
): Promise<boolean> {
  const corsConfig = await undefinedIfMissing(
    call((requestOptions) => client.send(new GetBucketCorsCommand({ Bucket: bucket }), requestOptions)),
  );
  const rules = corsConfig?.CORSRules ?? [];
  const missing = [...new Set(origins)].filter((origin) => !rules.some((rule) => allows(rule, origin)));
  if (missing.length === 0) return false;
  const newRule: CORSRule = {
    AllowedOrigins: missing,
    AllowedMethods: ["PUT", "GET", "HEAD"],
    AllowedHeaders: ["*"],
    MaxAgeSeconds: 3600,
  };
  const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [...rules, newRule] } });
  await call((requestOptions) => client.send(command, requestOptions));
  return true;
}

function allows({ AllowedOrigins = [], AllowedMethods = [] }: CORSRule, origin: string): boolean {
  return (
    AllowedMethods.includes("PUT") &&
    AllowedOrigins.some((allowedOrigin) => allowedOrigin === "*" || allowedOrigin === origin)
  );
}
