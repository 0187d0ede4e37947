import type { ContentAsset } from "#domain/publishing/ports.ts";
import type { ApiCall, JsonObject } from "./platform.ts";
import type { ProcessingStatus, PublishContext } from "./publishing.ts";
import type { UploadForm } from "./upload-body.ts";

/** How a platform receives a file: in one request, in a session of several requests, or by fetching it from a URL. */
export type MediaUpload = (DirectUpload | SessionUpload | FetchedMedia) & {
  /** Sends the alt text, if the upload does not contain it. Undefined if there is none. */
  buildAltTextCall?: (context: PublishContext, asset: ContentAsset, mediaId: string) => ApiCall | undefined;
  /** For platforms that may process media after the upload. */
  processing?: {
    /** Whether the platform is still processing the file, by the last response of the upload. */
    isPending: (status: number, body: JsonObject) => boolean;
    buildStatusCall: (context: PublishContext, mediaId: string) => ApiCall;
    parseStatus: (body: JsonObject, status: number) => ProcessingStatus;
  };
};

/** A request with the file as its body, or as a field of a form. */
export type UploadCall = ApiCall & { upload?: UploadForm };

export interface DirectUpload {
  buildCall: (context: PublishContext, asset: ContentAsset) => UploadCall;
  parseId: (body: JsonObject) => string;
}

/** The platform fetches the file from `context.createMediaUrl`. */
export interface FetchedMedia {
  buildFetchCall: (context: PublishContext, asset: ContentAsset) => ApiCall;
  parseId: (body: JsonObject) => string;
}

export interface SessionUpload {
  start: {
    buildCall: (context: PublishContext, asset: ContentAsset) => ApiCall;
    parseSession: (body: JsonObject, asset: ContentAsset) => UploadSession;
  };
  part: {
    buildCall: (context: PublishContext, asset: ContentAsset, session: UploadSession, index: number) => UploadCall;
    /** What `finish` needs to know about a part. */
    parseId?: (headers: Headers) => string;
  };
  finish?: {
    buildCall: (context: PublishContext, session: UploadSession, partIds: readonly string[]) => ApiCall;
  };
}

export interface UploadSession {
  mediaId: string;
  token?: string;
  parts: readonly FilePart[];
}

export interface FilePart {
  /** Empty if the platform does not have one URL per part. */
  url: string;
  /** The offsets of the first and the last byte. */
  start: number;
  end: number;
}
