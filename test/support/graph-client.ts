/** Calls a stand-in for the Graph API with plain `fetch`, as in the platform's documentation. */
export interface GraphClient {
  get(path: string, params?: Record<string, string>): Promise<GraphResult>;
  /** Sends the parameters as a form. */
  post(path: string, params: Record<string, string>): Promise<GraphResult>;
  /** Sends the parameters and a file as multipart form data. */
  upload(path: string, params: Record<string, string>, file: Buffer): Promise<GraphResult>;
}

export interface GraphResult {
  status: number;
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
  const send = async (path: string, body?: URLSearchParams | FormData): Promise<GraphResult> => {
    const headers = { authorization: `Bearer ${getToken()}` };
    const response = await fetch(`${base}${path}`, { headers, ...(body && { method: "POST", body }) });
    return { status: response.status, body: (await response.json()) as GraphResult["body"] };
  };
  return {
    get: (path, params = {}) => send(`${path}?${new URLSearchParams(params).toString()}`),
    post: (path, params) => send(path, new URLSearchParams(params)),
    upload: (path, params, file) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(params)) form.set(name, value);
      form.set("source", new Blob([new Uint8Array(file)]), "file");
      return send(path, form);
    },
  };
}

/** Returns the code and the subcode of an error, such as `9007/2207027`. */
export function toErrorCode({ status, body: { error } }: GraphResult): string {
  if (status === 200) return "no error";
  return error.error_subcode === undefined ? String(error.code) : `${error.code}/${error.error_subcode}`;
}
