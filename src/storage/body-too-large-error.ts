import { AppError } from "#lib/errors.ts";

export const bodyTooLargeError = (): AppError => new AppError("too_large:put");
