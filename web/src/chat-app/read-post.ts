import { isRecord } from "./bridge.ts";

/** The parts of a post that the app shows. */
export interface PostData {
  id: string;
  title: string;
  body: string;
  status: string;
  revision: number;
  url: string;
  assets: readonly AssetData[];
  accounts: readonly AccountData[];
}

export interface AssetData {
  id: string;
  filename: string;
  altText: string;
  mimeType: string;
  isReady: boolean;
}

export interface AccountData {
  connectionId: string;
  platform: string;
  account: string;
  /** How many of the post's files the account gets; undefined if it gets all of them. */
  fileCount: number | undefined;
  problems: readonly { level: string; message: string }[];
  /** The newest publication. */
  publication: PublicationData | undefined;
}

export interface PublicationData {
  state: string;
  /** When it was published, or when it is due. */
  time: string | undefined;
  url: string | undefined;
  problem: string | undefined;
}

/** Reads a post from the output of a tool; undefined if it is not a post. Ignores fields of unexpected types. */
export function readPost(output: Record<string, unknown>): PostData | undefined {
  const { id, title, revision } = output;
  if (typeof id !== "string" || typeof title !== "string" || typeof revision !== "number") return undefined;
  const publications = readRecords(output["publications"]);
  const validations = readRecords(output["validation"]);
  const variants = readRecords(output["variants"]);
  const assets = readRecords(output["assets"]).map(readAsset);
  const connectionIds = new Set(
    [...validations, ...publications].map(({ connectionId }) => readString(connectionId)).filter(Boolean),
  );
  return {
    id,
    title,
    revision,
    body: readString(output["body"]),
    status: readString(output["status"]),
    url: readString(output["url"]),
    assets,
    accounts: [...connectionIds].map((connectionId) => {
      const validation = validations.find((candidate) => candidate["connectionId"] === connectionId);
      const publication = publications.find((candidate) => candidate["connectionId"] === connectionId);
      const source = validation ?? publication ?? {};
      return {
        connectionId,
        platform: readString(source["platform"]),
        account: readString(source["account"]),
        fileCount: readFileCount(
          variants.find((variant) => variant["connectionId"] === connectionId),
          assets.length,
        ),
        problems: readRecords(validation?.["problems"]).map(({ level, message }) => ({
          level: readString(level),
          message: readString(message),
        })),
        publication: publication && readPublication(publication),
      };
    }),
  };
}

const readAsset = (asset: Record<string, unknown>): AssetData => ({
  id: readString(asset["id"]),
  filename: readString(asset["filename"]),
  altText: readString(asset["altText"]),
  mimeType: readString(asset["mimeType"]),
  isReady: asset["status"] === "ready",
});

function readFileCount(variant: Record<string, unknown> | undefined, total: number): number | undefined {
  const assetIds = variant?.["assetIds"];
  return Array.isArray(assetIds) && assetIds.length < total ? assetIds.length : undefined;
}

const readPublication = (publication: Record<string, unknown>): PublicationData => ({
  state: readString(publication["state"]),
  time: readString(publication["publishedAt"]) || readString(publication["scheduledFor"]) || undefined,
  url: readString(publication["url"]) || undefined,
  problem: isRecord(publication["problem"]) ? readString(publication["problem"]["message"]) : undefined,
});

const readRecords = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const readString = (value: unknown): string => (typeof value === "string" ? value : "");
