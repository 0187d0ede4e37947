/** Whether the upload has stopped, and the user has to act. */
export const needsAttention = ({ status }: { status: string }): boolean => status === "failed" || status === "missing";
