import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Remover",
  chooseFiles: "Escolher ficheiros",
  chooseFolder: "Escolher uma pasta",
  intro:
    "Imagens, vídeos e documentos de qualquer tamanho. Também os pode colar. Os ficheiros são enviados de imediato e adicionados a esta publicação.",
  waiting: "Em espera",
  checking: "A verificar",
  onPost: "Na publicação",
  libraryIntro:
    "Imagens, vídeos e documentos de qualquer tamanho. Também os pode colar. Os ficheiros são enviados de imediato e ficam na biblioteca até os adicionar a uma publicação.",
  inLibrary: "Na biblioteca",
  offline: "Está sem ligação. O envio será retomado quando a ligação voltar.",
  unreachable: "O servidor não responde. O envio será retomado automaticamente.",
  connectionRestored: "Ligação restabelecida.",
  chooseAgain: "Escolha este ficheiro outra vez para retomar o envio.",
  allowOrChooseAgain: "Retome o envio e permita que o navegador leia este ficheiro, ou escolha-o outra vez.",
  altText: "Texto alternativo",
  altHint: "Descreva este ficheiro",
  saved: "Guardado",
  notSaved: "Não guardado",
  phone: "Continuar num telemóvel",
  phoneHint:
    "Leia o código com a câmara do telemóvel. Qualquer pessoa com a hiperligação pode enviar ficheiros para esta publicação.",
  phoneLocalOnly: "Esta hiperligação só funciona neste computador.",
  allDone: "Todos os ficheiros estão na publicação. Pode fechar esta página ou adicionar mais.",
  libraryAllDone: "Todos os ficheiros estão na biblioteca. Pode adicionar mais.",
  linkExpired: "Esta hiperligação expirou e já não aceita ficheiros novos. Os envios em curso continuam.",
  close: "Fechar",
  cancelConfirmation: "Cancelar este envio? A parte já enviada será eliminada.",
  discardUpload: "Descartar o envio",
  keepUploading: "Continuar a enviar",
  files: "Ficheiros",
  usePhoto: "Usar esta fotografia",
  retakePhoto: "Tirar outra",
};
