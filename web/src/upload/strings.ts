import { unreadableFilesText } from "./listen-for-files.ts";

/** English strings of the uploader, and the fallback for other languages. `interpolate` fills in `%{…}`. */
export const english = {
  // Keys of Uppy's language packs, and the singular of one of them.
  pause: "Pause",
  resume: "Resume",
  retry: "Retry",
  cancel: "Cancel",
  removeFile: "Remove",
  paused: "Paused",
  uploading: "Uploading",
  uploadFailed: "Upload failed",
  xTimeLeft: "%{time} left",
  dataUploadedOfTotal: "%{complete} of %{total}",
  filesUploadedOfTotal: "%{complete} of %{smart_count} files uploaded",
  oneFileUploadedOfTotal: "%{complete} of %{smart_count} file uploaded",
  dropHint: "Drop your files here",
  takePicture: "Take a photo",
  noCameraTitle: "Camera not available",
  noDuplicates: "%{fileName} is already in the list",
  // Our own keys, translated in ./locales.
  chooseFiles: "Choose files",
  chooseFolder: "Choose a folder",
  intro: "Images, videos and documents of any size. They upload right away and attach to this post.",
  pasteHint: "You can also paste files.",
  filesUpTo: "You can add up to %{limit} files.",
  filesLeft: "You can add %{smart_count} more files (%{limit} per post).",
  oneFileLeft: "You can add 1 more file (%{limit} per post).",
  noFilesLeft: "This post is full: it can have at most %{limit} files.",
  waiting: "Waiting",
  waitingForConnection: "Waiting for connection",
  checking: "Checking",
  onPost: "Attached",
  libraryIntro:
    "Images, videos and documents of any size. They upload right away and stay in the library until you add them to a post.",
  inLibrary: "In the library",
  offline: "You are offline. The upload resumes when you are back online.",
  unreachable: "The server isn’t responding. The upload resumes automatically.",
  connectionRestored: "Connection restored.",
  uploadInterrupted: "Upload interrupted",
  chooseAgain: "Choose this file again to resume the upload.",
  chooseFile: "Choose file…",
  unreadableFiles: unreadableFilesText,
  allowOrChooseAgain: "Resume the upload and allow the browser to read this file, or choose the file again.",
  altText: "Alt text",
  altHint: "Describe this file",
  saved: "Saved",
  notSaved: "Not saved",
  phone: "Continue on a phone",
  phoneHint: "Scan this with your phone’s camera. Anyone with the link can upload files.",
  allDone: "All files are attached. You can close this page or add more.",
  allDoneFull: "All files are attached, and the post is full. You can close this page.",
  libraryAllDone: "All files are in the library. You can add more.",
  linkExpired: "This link has expired and accepts no new files. Uploads in progress continue.",
  close: "Close",
  cancelConfirmation: "Cancel this upload? The uploaded part will be deleted.",
  discardUpload: "Discard upload",
  keepUploading: "Keep uploading",
  files: "Files",
  usePhoto: "Use photo",
  retakePhoto: "Retake",
};

export type Strings = typeof english;
export type StringOverrides = Partial<Strings>;

/** The same strings for uploads that go to the library instead of a post. */
export const toLibraryStrings = (strings: Strings): Strings => ({
  ...strings,
  intro: strings.libraryIntro,
  onPost: strings.inLibrary,
  allDone: strings.libraryAllDone,
});

export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/%\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
