/** Calls a stand-in for the Graph API with plain `fetch`, as in the platform's documentation. */
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

export function createGraphClient(base: string, getToken: () => string): GraphClient {
  const getHeaders = (): Record<string, string> => ({ authorization: `Bearer ${getToken()}` });
  return {
    get: async (path, params = {}) =>
      readResult(await fetch(`${base}${path}?${new URLSearchParams(params).toString()}`, { headers: getHeaders() })),
    post: async (path, params) =>
      readResult(
        await fetch(`${base}${path}`, { method: "POST", body: new URLSearchParams(params), headers: getHeaders() }),
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
export function toErrorCode({ status, body: { error } }: GraphResult): string {
  if (status === 200) return "no error";
  return error.error_subcode === undefined ? String(error.code) : `${error.code}/${error.error_subcode}`;
}
