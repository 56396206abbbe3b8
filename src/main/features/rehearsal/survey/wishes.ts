/** The intent of a later message to the script: a survey for other words, the survey in a file, or chat. */
import { type TaskWord, taskWords } from './task-words.ts'

type Wish =
  | { readonly kind: 'survey'; readonly words: readonly TaskWord[] }
  /** The same survey again. */
  | { readonly kind: 'again' }
  | { readonly kind: 'save'; readonly file: string }
  | { readonly kind: 'talk' }

const DEFAULT_FILE = 'troupe-survey.md'

export function wishIn(text: string): Wish {
  if (wantsSaving(text)) return { kind: 'save', file: fileNamedIn(text) ?? DEFAULT_FILE }
  const words = taskWords(text).filter((word) => !TALK.test(word.text))
  if (AGAIN.test(text) && words.length <= 1) return { kind: 'again' }
  return words.every(({ kind }) => kind === 'pair') ? { kind: 'talk' } : { kind: 'survey', words }
}

const AGAIN =
  /\b(again|once more|re-?run|refresh|nochmal|noch einmal|encore une fois|otra vez|de novo|di nuovo)\b/i

/** Words of a chat. */
const TALK =
  /^(script|model|robot|human|real|cool|great|good|fine|perfect|wow|awesome|bye|sorry|survey|surveys|agent|agents|troupe|rehearsal|key|keys|claude|danke|super|bravo|genial|perfekt|parfait)$/i

const VERB =
  '(?:write|save|note|keep|export|store|record|put|dump|speicher\\w*|sicher\\w*|schreib\\w*|notier\\w*|enregistre\\w*|sauvegarde\\w*|écris|écrire|guarda\\w*|guarde|escrib\\w*|anota\\w*|salva\\w*|salve|scrivi)'
const OBJECT =
  '(?:it|this|that|them|these|those|all|everything|down|survey|report|summary|results?|findings?|facts?|notes?|das|dies\\w*|es|alles|umfrage|übersicht|bericht|ergebnis\\w*|ça|cela|tout|rapport|résumé|esto|todo|informe|resumen|isso|tudo|questo|tutto|riassunto)'

function wantsSaving(text: string): boolean {
  const plain = text.trim()
  if (plain.length > 200) return false
  if (new RegExp(`^(?:please |bitte )?${VERB}\\b[.! ]*(?:please|bitte)?[.! ]*$`, 'iu').test(plain))
    return true
  if (new RegExp(`(?<!\\p{L})${VERB}(?:\\s+\\S+){0,2}?\\s+${OBJECT}(?!\\p{L})`, 'iu').test(plain)) return true
  return new RegExp(`(?<!\\p{L})${VERB}(?!\\p{L})`, 'iu').test(plain) && fileNamedIn(plain) !== null
}

/** A text file below the folder that the message names. */
function fileNamedIn(text: string): string | null {
  const match = /(?<![\w./\\~-])((?:[\w-][\w.-]*\/){0,6}[\w-][\w.-]*\.(?:md|markdown|txt))(?![\w/])/i.exec(
    text,
  )
  const file = match?.[1]
  return file === undefined || file.includes('..') ? null : file
}
