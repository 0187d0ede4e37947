import { Rejection, isRecord, type StandInResponse } from "../http-stand-in.ts";

/**
 * LinkedIn's error responses. Status and code are those of the error tables of the Posts and Videos API, as public
 * repositories quote them (see `server.ts`). Messages that no source shows are ours, so clients can't rely on them.
 */
export const reject = (status: number, code: string, message: string): Rejection =>
  new Rejection({ status, json: { status, code, message } });

export const missingField = (field: string): Rejection => reject(400, "MISSING_FIELD", `${field} is missing`);
export const invalidValue = (field: string): Rejection =>
  reject(400, "INVALID_VALUE_FOR_FIELD", `Invalid value for field ${field}`);
export const invalidUrnType = (field: string): Rejection =>
  reject(400, "INVALID_URN_TYPE", `Invalid URN type for field ${field}`);
export const invalidUrnId = (): Rejection => reject(400, "INVALID_URN_ID", "This URN Id is invalid");
export const waitingUpload = (): Rejection =>
  reject(400, "MEDIA_ASSET_WAITING_UPLOAD", "Media asset is waiting upload");
export const processingFailed = (): Rejection =>
  reject(400, "MEDIA_ASSET_PROCESSING_FAILED", "Media asset failed processing");

export const accessDenied = (resource: string): Rejection =>
  new Rejection({
    status: 403,
    json: {
      status: 403,
      serviceErrorCode: 100,
      code: "ACCESS_DENIED",
      message: `Not enough permissions to access: ${resource}`,
    },
  });

export const forbiddenMedia = (kind: string): Rejection =>
  new Rejection({
    status: 403,
    json: {
      message: `Accessing this ${kind} resource is forbidden. Please check your permissions for this resource`,
      status: 403,
    },
  });

export const rateLimited = (): StandInResponse => ({
  status: 429,
  json: {
    serviceErrorCode: 101,
    message: "Resource level throttle limit for calls to this resource is reached.",
    status: 429,
  },
});

export const unavailable: StandInResponse = {
  status: 503,
  json: { status: 503, code: "SERVICE_UNAVAILABLE", message: "Service unavailable" },
};

export const unauthorized = (serviceErrorCode: number, code: string, message: string): Rejection =>
  new Rejection({ status: 401, json: { status: 401, serviceErrorCode, code, message } });

/** Fails on a feature that LinkedIn documents and this stand-in doesn't implement, so that no test passes by luck. */
export const notImplemented = (feature: string): Rejection =>
  new Rejection({ status: 501, json: { status: 501, message: `The stand-in does not implement ${feature}` } });

/** Requires an object that has only known fields, because Rest.li rejects unknown ones. */
export function requireRecord(value: unknown, field: string, knownFields: readonly string[]): Record<string, unknown> {
  if (value === undefined || value === null) throw missingField(field);
  if (!isRecord(value)) throw invalidValue(field);
  const unknownField = Object.keys(value).find((name) => !knownFields.includes(name));
  if (unknownField === undefined) return value;
  const message = `ERROR :: /${unknownField} :: unrecognized field found but not allowed\n`;
  throw new Rejection({ status: 422, json: { message, status: 422 } });
}

export function requireString(value: unknown, field: string): string {
  if (value === undefined || value === null) throw missingField(field);
  if (typeof value !== "string") throw invalidValue(field);
  return value;
}
