import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  chooseFiles: "Escolher ficheiros",
  chooseFolder: "Escolher uma pasta",
  intro:
    "Imagens, vídeos e documentos, quantos quiser e de qualquer tamanho. Também pode colar. Cada ficheiro começa logo e junta-se sozinho à publicação.",
  waiting: "À espera",
  checking: "A verificar",
  onThePost: "Na publicação",
  offline: "Está sem ligação. O envio continua sozinho quando ela voltar.",
  unreachable: "O servidor não responde. O envio continua sozinho quando responder.",
  backAgain: "A ligação voltou.",
  chooseAgain: "Escolha este ficheiro outra vez e ele continua onde estava.",
  altText: "Texto alternativo",
  altHint: "O que se vê? Para quem não pode ver.",
  saved: "Guardado",
  notSaved: "Não guardado",
  phone: "Continuar num telemóvel",
  phoneHint: "Leia com a câmara do telemóvel. Quem o tiver pode enviar ficheiros para esta publicação.",
  phoneLocal: "Este endereço só funciona neste computador.",
  allDone: "Todos os ficheiros estão na publicação. Pode fechar esta página ou juntar mais.",
  linkOver: "Esta ligação já não aceita ficheiros novos. Os que estão a caminho continuam.",
  close: "Fechar",
  files: "Ficheiros",
  use: "Usar esta fotografia",
  again: "Tirar outra",
};
