/** For a page that is uploading files. */
export const uploadLeaveQuestion = {
  title: "Leave while files are uploading?",
  body: "The uploads stop when you leave. They resume when you return, but you may have to choose some files again.",
};
