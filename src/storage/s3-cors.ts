import { GetBucketCorsCommand, PutBucketCorsCommand, type CORSRule } from "@aws-sdk/client-s3";
import { ifThere } from "./s3-client.ts";
import type { Target } from "./s3-write.ts";

/**
 * Browsers send parts straight to the bucket, which must allow that to the pages that do. Where it does not, the rule
 * is added to those that are there; it lets nobody in, since every address is signed. Answers whether it had to.
 */
export async function allowPages({ client, bucket, ask }: Target, origins: readonly string[]): Promise<boolean> {
  const found = await ifThere(ask((how) => client.send(new GetBucketCorsCommand({ Bucket: bucket }), how)));
  const rules = found?.CORSRules ?? [];
  const missing = [...new Set(origins)].filter((origin) => !rules.some((rule) => allows(rule, origin)));
  if (missing.length === 0) return false;
  const ours: CORSRule = {
    AllowedOrigins: missing,
    AllowedMethods: ["PUT", "GET", "HEAD"],
    AllowedHeaders: ["*"],
    MaxAgeSeconds: 3600,
  };
  const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [...rules, ours] } });
  await ask((how) => client.send(command, how));
  return true;
}

function allows({ AllowedOrigins = [], AllowedMethods = [] }: CORSRule, origin: string): boolean {
  return AllowedMethods.includes("PUT") && AllowedOrigins.some((one) => one === "*" || one === origin);
}
