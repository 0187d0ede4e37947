/** Calls a stand-in of the Graph API with bare `fetch`, as the platform's documentation shows. */
export interface GraphClient {
  get(path: string, params?: Record<string, string>): Promise<GraphResult>;
  /** Sends the parameters as a form. */
  post(path: string, params: Record<string, string>): Promise<GraphResult>;
}

export interface GraphResult {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { id: string; data: Record<string, unknown>[]; error: GraphErrorBody };
}

interface GraphErrorBody {
  message: string;
  type: string;
  code: number;
  error_subcode?: number;
  fbtrace_id: string;
}

export function createGraphClient(base: string, readToken: () => string): GraphClient {
  const authorization = (): Record<string, string> => ({ authorization: `Bearer ${readToken()}` });
  return {
    get: async (path, params = {}) =>
      readResult(await fetch(`${base}${path}?${new URLSearchParams(params).toString()}`, { headers: authorization() })),
    post: async (path, params) =>
      readResult(
        await fetch(`${base}${path}`, { method: "POST", body: new URLSearchParams(params), headers: authorization() }),
      ),
  };
}

export async function readResult(response: Response): Promise<GraphResult> {
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as GraphResult["body"],
  };
}

/** Returns the code and the subcode of an error, such as `9007/2207027`. */
export function errorCode({ status, body: { error } }: GraphResult): string {
  if (status === 200) return "no error";
  return error.error_subcode === undefined ? String(error.code) : `${error.code}/${error.error_subcode}`;
}
