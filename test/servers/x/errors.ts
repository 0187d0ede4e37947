import { isRecord, readContentType, Rejection, type StandInRequest, type StandInResponse } from "../http-stand-in.ts";

/** X's error responses; see `server.ts` for the sources. */

const problemType = (name: string): string => `https://api.x.com/2/problems/${name}`;

export const invalidRequest = (message: string, parameters: Record<string, unknown[]> = {}): Rejection =>
  new Rejection({
    status: 400,
    json: {
      errors: [{ parameters, message }],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: problemType("invalid-request"),
    },
  });

export const invalidMediaIds = (ids: unknown[]): Rejection =>
  invalidRequest("Your media IDs are invalid.", { "media.media_ids": ids });

const createProblem = (status: number, title: string, detail: string): StandInResponse => ({
  status,
  json: { detail, type: "about:blank", title, status },
});

export const unauthorized = (): Rejection => new Rejection(createProblem(401, "Unauthorized", "Unauthorized"));
export const forbidden = (detail: string): Rejection => new Rejection(createProblem(403, "Forbidden", detail));
export const notFound = (): Rejection => new Rejection(createProblem(404, "Not Found", "Not Found"));
export const unavailable = createProblem(503, "Service Unavailable", "Service Unavailable");
export const rateLimited: StandInResponse = {
  status: 429,
  json: { errors: [{ code: 88, message: "Rate limit exceeded" }] },
};

/** Requires an object that has only known fields (`additionalProperties: false` in the OpenAPI document). */
export function requireRecord(value: unknown, name: string, knownFields: readonly string[]): Record<string, unknown> {
  if (!isRecord(value)) throw invalidRequest(`${name} must be an object`);
  const unknownField = Object.keys(value).find((field) => !knownFields.includes(field));
  if (unknownField !== undefined) throw invalidRequest(`${unknownField} is not a field of ${name}`);
  return value;
}

export function requireId(value: unknown, name: string): string {
  if (typeof value !== "string" || !/^[0-9]{1,19}$/.test(value))
    throw invalidRequest(`The ${name} [${String(value)}] is not valid`, { [name]: [value] });
  return value;
}

export function readJson(request: StandInRequest): unknown {
  if (readContentType(request.headers) !== "application/json")
    throw invalidRequest("The content type must be application/json");
  try {
    return JSON.parse(request.body.toString()) as unknown;
  } catch {
    throw invalidRequest("The request body is not valid JSON");
  }
}
