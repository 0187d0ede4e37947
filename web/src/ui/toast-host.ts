import { createContext, use } from "react";

/** Makes an open modal dialog the place of toasts, until the returned function is called. */
type AddToastHost = (dialog: HTMLElement) => () => void;

export const ToastHostContext = createContext<AddToastHost>(() => () => {});

export const useAddToastHost = (): AddToastHost => use(ToastHostContext);
